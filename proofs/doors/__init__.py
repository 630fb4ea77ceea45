"""How statements come to be: each door turns a kind of program into nodes."""
