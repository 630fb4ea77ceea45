"""Training layers of `constructs`, and comparing what they have learned with the constructions."""

from .rows import checked, recorded, train_row

__all__ = ["checked", "recorded", "train_row"]
