"""`scanproof bench`: every op against a plain matrix product, `lax.scan` and NumPy, in one interleaved run."""
