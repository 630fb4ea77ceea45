"""Exact arrays: NumPy's operators over symbols, rationals and recorded arithmetic."""
