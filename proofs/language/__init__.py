"""The language of claims: a claim is one value, written with symbols, definitions and statements."""
