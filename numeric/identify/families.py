"""The families of weights by the targets whose folders hold them; each is imported when it is first asked for."""

from __future__ import annotations

from .family import Family


def family_of(target: str) -> Family:
    """The family of the weights of a target's folder."""
    if target == "fla-delta-net":
        from .delta_net import DeltaNet

        return DeltaNet()
    if target in ("hf-mamba2", "mamba-ssm"):
        from .mamba2 import Mamba2

        return Mamba2()
    from .linear import Linear

    return Linear()
