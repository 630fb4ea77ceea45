"""`scanproof bench`: every lane against a plain matrix product, `lax.scan` and NumPy, in one interleaved run."""
