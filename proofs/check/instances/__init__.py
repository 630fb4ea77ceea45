"""A claim at given sizes: its statement read in symbols, fractions, balls and residues."""
