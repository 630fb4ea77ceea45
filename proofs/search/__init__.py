"""Finding proofs: which rule of the kernel to apply where. Nothing here is trusted; the kernel checks every step."""
