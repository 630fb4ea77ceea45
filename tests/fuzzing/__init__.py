"""Random attempts on the kernel: equations true and false, steps and arguments drawn at random, checks taken out."""
