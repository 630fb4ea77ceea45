"""How a model is trained: one value, written beside its weights and compared with it when training resumes."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from scanproof.constructs.errors import UsageError
from scanproof.proofs.language.sizes import whole


@dataclass(frozen=True)
class Settings:
    """Of Adam, and of the tasks that a step sees."""

    steps: int
    batch: int = 64
    """Tasks a step."""
    rate: float = 1e-2
    """The learning rate, after the warm-up."""
    warmup: float = 0.05
    """The part of the steps in which the rate rises."""
    schedule: str = "cosine"
    """"cosine", to 0 at the last step, or "constant", without a warm-up."""
    weight_decay: float = 0.0
    """Of AdamW; 0 is Adam."""
    clip: float | None = 1.0
    """The largest norm of a gradient."""
    recurrent: float = 1.0
    """The factor of the rate for recurrent parameters."""
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    """Trained side by side."""
    block: int = 100
    """Steps between two looks at the loss, and at least between two checkpoints."""

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "block"):
            whole(f"{name}={getattr(self, name)!r}", getattr(self, name))
        if self.steps % self.block:
            raise UsageError(
                f"steps={self.steps}: give a multiple of {self.block}, the steps of a block."
            )
        if not self.seeds or len(set(self.seeds)) != len(self.seeds):
            raise UsageError(f"seeds={self.seeds!r}: give at least one seed, each of them once.")
        if not 0 < self.rate < math.inf:
            raise UsageError(
                f"step size {self.rate!r}: give a positive, finite number, such as 0.01."
            )

    def with_(self, **changes: Any) -> Settings:
        """These settings with some that were given: None leaves one as it is."""
        return replace(self, **{k: v for k, v in changes.items() if v is not None})

    def written(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "seeds": list(self.seeds)}
