"""Kernels of Triton: what Triton's own front end makes of them, lowered to nodes by one table."""
