"""Finding certificates: what is here may guess, draw and be wrong; no verdict rests on it."""
