"""Layers as functions of a whole sequence: a step function with its first state, a masked form, or a whole network.

All have `outputs(parameters, tokens, W0, layers)`: what one layer puts out, or the top one of `layers` equal layers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..arrays.array_api import Array
from ..arrays.iteration import iterate
from ..arrays.scan import Scan, scan


class Recurrent(NamedTuple):
    """A layer by its step function, and the state before the first token."""

    step: Callable[..., Any]
    start: Callable[[Any, Any, Any], Any]
    """(parameters, tokens, W0) -> that state; W0 are initial weights, or None."""
    made: Callable[[Any, Any], Any] | None = None
    """(parameters, tokens) -> the tokens that the step function takes, where they are others."""

    def run(self, parameters: Any, tokens: Any, W0: Any = None) -> Scan:
        """States and outputs of one layer."""
        start = self.start(parameters, tokens, W0)
        taken = tokens if self.made is None else self.made(parameters, tokens)
        return scan(self.step, parameters, start, taken)

    def outputs(self, parameters: Any, tokens: Any, W0: Any = None, layers: Any = None) -> Array:
        """The outputs at every token; a layer takes those of the layer below for its tokens."""
        if layers is None:
            return self.run(parameters, tokens, W0).outputs
        return iterate(lambda rows: self.run(parameters, rows, W0).outputs, tokens, layers)


class Masked(NamedTuple):
    """A layer on all tokens at once, by a T × T mask; tokens are the columns of Z (D, T)."""

    layer: Callable[[Any, Array], Array]
    """(parameters, Z) -> Z."""

    def outputs(self, parameters: Any, tokens: Array, W0: Any = None, layers: Any = None) -> Array:
        """The tokens after the layers."""
        if layers is None:
            return self.layer(parameters, tokens)
        return iterate(lambda Z: self.layer(parameters, Z), tokens, layers)


class Network(NamedTuple):
    """Layers with an encoding below them and a readout above: from raw tokens to predictions."""

    predict: Callable[[Any, Any, Any], Array]
    """(parameters, raw tokens, L or None) -> the readout at the tokens that predict."""

    def outputs(self, parameters: Any, tokens: Any, W0: Any = None, layers: Any = None) -> Array:
        """The predictions; the initial weights stand in the parameters."""
        return self.predict(parameters, tokens, layers)
