"""The door for PyTorch: the graph of its own tracer, in ATen's operations, is lowered to nodes by one table."""
