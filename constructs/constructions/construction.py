"""A construction as one value: parameters, tokens, layer and readout, and the learner that the layer is said to be.

Claims prove of it that `predictions` are `learned`, `scanproof run` runs it, `scanproof export` writes it down. How its
layer is evaluated fast is no part of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ..arrays.array_api import Array
from ..arrays.scan import Scan
from ..layers.multi_step import TwoHeads
from ..layers.sequence import Masked, Network, Recurrent
from ..learners.learner import Descent, Learner
from ..tokens import Windows

Layer: TypeAlias = Recurrent | TwoHeads | Masked | Network

VECTOR, SCALAR, ANY, CLASSES = "vector", "scalar", "any", "classes"
"""Targets: as many as features, one, any number, or classes."""


def every_output(outputs: Array, following: Array, W0: Any, **symbols: Any) -> Array:
    """The outputs as they are."""
    return outputs


def targets_only(outputs: Array, following: Array, W0: Any, **symbols: Any) -> Array:
    """The last coordinates, where inputs and targets have coordinates of their own."""
    return outputs[..., following.shape[-1] :]


class Construction(NamedTuple):
    """A layer with its parameters on a tokenisation, and the learner that it is said to be."""

    does: str
    """What is read from it, in a line."""
    parameters: Callable[..., Any] | None
    """From sizes and numbers by the source's letters, and `corrections`, to the layer's parameters."""
    tokens: Callable[..., Any]
    """(x, y) -> the layer's tokens: x (N + 1, f) with the query last, y (N,) or (N, k)."""
    layer: Layer
    learner: Learner
    read: Callable[..., Any] = every_output
    """(outputs, the inputs to predict for, W0, **symbols) -> predictions; from outputs for each example."""
    targets: str | int = VECTOR
    """One of these words, or a number of columns."""
    every: bool = True
    """Whether it predicts at every token, or at the last one."""
    several: bool = False
    """Whether it is about L steps, or about one."""
    stacked: bool = False
    """Whether L equal layers do L steps; else one layer does, or layers that the parameters hold."""
    start: Callable[[Array], Array] | None = None
    """From the learner's W0 to the layer's, where they differ."""
    informed: bool = False
    """Whether the tokens are made with W0: `tokens` is (x, y, W0) then."""
    features: int | None = None
    """f, where the statement is about one number of features."""
    notes: tuple[str, ...] = ()
    """What a reader of a run should know."""

    def columns(self, features: int) -> int | None:
        """How many targets there are beside so many features; None where the statement leaves it open."""
        if isinstance(self.targets, int):
            return self.targets
        return {VECTOR: features, SCALAR: 1}.get(self.targets)

    def seen(self, x: Array, y: Array, W0: Any = None) -> Any:
        """The layer's tokens."""
        return self.tokens(x, y, W0) if self.informed else self.tokens(x, y)

    def _started(self, W0: Any) -> Any:
        return W0 if self.start is None else self.start(W0)

    def run(self, p: Any, x: Array, y: Array, W0: Any = None, layers: Any = 1) -> Scan:
        """States and outputs at every token, of a layer that has a step function."""
        assert isinstance(self.layer, Recurrent | TwoHeads)
        stacked = (layers,) if isinstance(self.layer, TwoHeads) else ()
        return self.layer.run(p, self.seen(x, y, W0), self._started(W0), *stacked)

    def outputs(self, p: Any, x: Array, y: Array, W0: Any = None, layers: Any = 1) -> Array:
        """What the (top) layer puts out at every token, or all tokens after layers that have no step function."""
        stacked = layers if self.stacked else None
        return self.layer.outputs(p, self.seen(x, y, W0), self._started(W0), stacked)

    def predictions(
        self, p: Any, x: Array, y: Array, W0: Any = None, layers: Any = 1, **symbols: Any
    ) -> Array:
        """What is read from the outputs: at every token, or that for the query.

        Args:
            p: the layer's parameters.
            x: inputs, the query last, shape (N + 1, f).
            y: targets, (N,) or (N, k).
            W0: initial weights, (f,) or (f, k), where there are some.
            layers: L, where layers are stacked.
            symbols: what else the statement names.
        """
        found = self.outputs(p, x, y, W0, layers)
        if isinstance(self.tokens, Windows):
            found = self.tokens.reading(found)
        found = self.read(found, x[1:], W0, **symbols)
        return found if self.every or isinstance(self.layer, Masked) else found[-1]

    def learned(
        self, x: Array, y: Array, eta: Array, W0: Any = None, steps: Any = 1, **symbols: Any
    ) -> Array:
        """What `predictions` are said to be."""
        if self.every:
            assert isinstance(self.learner, Descent)
            return self.learner.predictions(x, y, eta, W0, steps, **symbols)
        return self.learner.prediction(x, y, eta, W0, steps, **symbols)


def slip(construction: Construction) -> str | None:
    """What is wrong with the kinds of a construction's fields, and what to give instead; None if nothing is."""
    for name, field, wanted in (
        ("parameters", construction.parameters, "a function of sizes and symbols, or None"),
        ("tokens", construction.tokens, "a function of x and y, such as `concatenated`"),
        ("read", construction.read, "a function of outputs, inputs and W0"),
        ("start", construction.start, "a function of W0, or None"),
    ):
        if not callable(field) and (field is not None or "None" not in wanted):
            return f"has {name} = {field!r}; give {wanted}"
    if not isinstance(construction.layer, Layer):
        return (
            "has a layer of another kind; give Recurrent(step, start), TwoHeads(step), Masked(layer) or "
            "Network(predict)"
        )
    if not isinstance(construction.learner, Learner):
        return "has a learner of another kind; give Descent(loss), Stochastic(loss) or Implicit(…)"
    if construction.every and not isinstance(construction.learner, Descent):
        return "predicts at every token, which the learner Descent alone does; give every=False"
    words, targets = (VECTOR, SCALAR, ANY, CLASSES), construction.targets
    if targets not in words and (type(targets) is not int or targets < 1):
        allowed = ", ".join(map(repr, words))
        return f"has targets = {targets!r}; allowed: {allowed}, or a number of columns"
    return None
