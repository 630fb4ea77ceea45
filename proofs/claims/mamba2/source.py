"""The source that the rows of this folder speak of: the Mamba-2 block as released."""

from ...language.source import Source

mamba2 = Source(
    "mamba2", "The Mamba-2 block as released, and gradient descent by stacks of it", own=True
)
