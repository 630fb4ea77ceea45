"""The door for claims' bodies: run once on arrays that record what is done with them, with symbols for sizes."""
