"""Several gradient steps by two-head layers: stacked, or one layer looped (gd-ssm A.2, gril A.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.iteration import iterate
from ..arrays.ranges import build
from ..arrays.scan import Scan, scan
from .gril import TwoHead, WeightedWindow, Window


@definition
def stack(
    step: Callable[..., Any], parameters: TwoHead, windows: Window, W0: Array, layers: int
) -> Scan:
    """Run equal layers one above the other, each a scan over the same windows (the skip input).

    Token t of layer l carries the weights that layer l − 1 holds at t, so every layer is a causal
    sequence layer; below the first layer every token carries W_0.

    Args:
        step: the layer, `gril.two_head_step` or `gd_ssm.two_head_step`.
        parameters: of every layer.
        windows: C_1, …, C_T with their step counts.
        W0: the initial weights, shape (f, f).
        layers: L ≥ 1.

    Returns:
        The scan of the top layer; its outputs are the weights W_L, shape (T, f, f), and the
        predictions o, shape (T, f).

    Raises:
        ValueError: if there is no layer.
    """
    _expect("stack", "layers", layers)

    def layer(weights: Array) -> Scan:
        return _layer(step, parameters, windows, weights)

    below = iterate(lambda W: layer(W).outputs[0], _everywhere(W0, windows), layers - 1)
    return layer(below)


@definition
def loop(
    step: Callable[..., Any], parameters: TwoHead, windows: Window, W0: Array, passes: int
) -> Scan:
    """Run one layer several times: a pass starts from the weights that the one before ended with.

    Arguments, result and error are those of `stack`, with passes for layers.
    """
    _expect("loop", "passes", passes)

    def run(weights: Array) -> Scan:
        return _layer(step, parameters, windows, _everywhere(weights, windows))

    return run(iterate(lambda W: run(W).outputs[0][-1], W0, passes - 1))


class TwoHeads(NamedTuple):
    """Layers that hand weights upwards, all over the same windows: `stack` of this step function."""

    step: Callable[..., Any]

    def run(self, parameters: Any, tokens: Any, W0: Any, layers: Any = 1) -> Scan:
        """States, and for outputs the weights and the predictions, of the top layer."""
        return stack(self.step, parameters, tokens, W0, layers)

    def outputs(self, parameters: Any, tokens: Any, W0: Any, layers: Any = 1) -> Array:
        """The predictions at every token."""
        return self.run(parameters, tokens, W0, layers).outputs[1]


def _layer(step: Callable[..., Any], parameters: TwoHead, windows: Window, weights: Array) -> Scan:
    """One layer over tokens that carry `weights`, shape (T, f, f), from empty heads."""
    size = windows.window.shape[1]
    empty = namespace(weights).zeros((size, size))
    return scan(step, parameters, (empty, empty), WeightedWindow(*windows, weights))


def _everywhere(W: Array, windows: Window) -> Array:
    """The same weights at every token."""
    return build(namespace(W), windows.window.shape[0], lambda _: W)


def _expect(name: str, argument: str, count: int) -> None:
    if count < 1:
        raise ValueError(f"{name}() expects {argument} ≥ 1, got {count}.")
