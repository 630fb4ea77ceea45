"""Exact scalars of a field: fractions, fractions of polynomials, balls, residues; what engines decide with them."""
