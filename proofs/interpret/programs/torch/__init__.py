"""Functions written for PyTorch, read as JAX programs; torch itself says what arguments its functions take.

A user's module is loaded a second time, from its own source: `torch`, `torch.nn.functional` and `einops` are the facade
of this folder, and a loop over a size becomes one `lax.scan`. What the facade does not know is refused by its name.
"""
