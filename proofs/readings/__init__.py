"""What statements are read as: numbers of any kind, problems of the kernel, derivatives, programs, text."""
