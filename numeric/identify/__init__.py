"""Which learning rule weights implement: derived where they are polynomial, measured where they are not."""
