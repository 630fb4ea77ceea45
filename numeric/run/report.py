"""The results of a run, filled in stage by stage, so that an interrupted run keeps what is finished."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

TOKEN_BY_TOKEN = ("recurrent", "masked")
"""Lanes whose products have float32 factors where the data are bfloat16."""


@dataclass
class Report:
    """The results of a run so far: None for what is not known yet; `missing` says why a value will never be."""

    id: str
    statement: str = ""
    verdict: str = ""
    says: str = ""
    as_stated: bool = False
    does: str = ""
    learner: str = ""
    notes: tuple[str, ...] = ()
    features: int = 0
    examples: int = 0
    heads: int = 0
    targets: int | None = None
    layers: int = 1
    tokens: int = 0
    """Tokens a head and layer."""
    dtype: str = ""
    lane: str = ""
    gate: str = ""
    chunk: int | None = None
    blocks: int = 1
    sampler: str = ""
    input_scale: float = 1.0
    seed: int = 0
    W0: str = ""
    extra: dict[str, Any] | None = None
    device: str = ""
    step_size: float | None = None
    step_size_rule: str = ""
    compared: tuple[int, ...] = ()
    """After how many examples the predictions are compared."""
    bound: float | None = None
    """The largest bound of an entry of the predictions compared, derived before the run."""
    bound_of: str = ""
    error: float | None = None
    """max |prediction − learner|."""
    relative_error: float | None = None
    """‖prediction − learner‖ / ‖learner‖ over everything compared."""
    ratio: float | None = None
    """max error / bound, entry by entry."""
    compile_seconds: float | None = None
    seconds: float | None = None
    tokens_per_second: float | None = None
    """Tokens of all heads, through all layers."""
    floor_seconds: float | None = None
    floor: str = ""
    share_of_floor: float | None = None
    missing: dict[str, str] | None = None

    @property
    def arithmetic(self) -> str:
        """The numbers that the layer computes in, in words."""
        if self.dtype != "bfloat16":
            return self.dtype
        if self.lane in TOKEN_BY_TOKEN:
            return "data in bfloat16, all else in float32"
        return "bfloat16 into the products of its states, all else in float32"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, with None for infinite numbers."""
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }
