"""How many of the single faults that are planted in the code `make test` catches."""
