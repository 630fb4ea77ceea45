"""Programs of PyTorch as functions of JAX arrays, and what programs return."""
