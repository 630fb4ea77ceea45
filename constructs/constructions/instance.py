"""A construction at the sizes of released modules: what is exported, and what `identify` compares weights with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..arrays.array_api import Array
from ..tokens.mamba2 import Layout


class Instance(NamedTuple):
    """A model for released modules, with all that says what it computes."""

    layout: Layout
    widths: Any
    steps: int
    """L, the blocks before the last one; 0 if one block does the only step."""
    eta: Any
    W0: Array
    model: Any
    constants: Any = None
    """What a Mamba-2 block is made with besides."""


class Kind(NamedTuple):
    """Blocks of one kind, and how models of them are made."""

    layouts: Mapping[str, Callable[..., Layout]]
    """The tokenisations that they take, by name."""
    released: Callable[..., Any]
    """(layout, in_one_block, **options) -> sizes, and constants if there are any, that suit the released modules."""
    gradient_descent: Callable[..., Any]
    """(xp, layout, sizes and constants, η, W0) -> the model with a block for each step."""
    one_step: Callable[..., Any]
    """Likewise, with the only step in one block."""
    check: Callable[[str, bool, Any], None] = lambda tokens, in_one_block, W0: None
    """Raises ValueError for what no such blocks do."""


def maker(kind: Kind) -> Callable[..., Instance]:
    """`instance` for blocks of one kind."""
    return partial(instance, kind)


def instance(
    kind: Kind,
    xp: Any,
    features: int,
    steps: int,
    eta: Any,
    W0: Any,
    *,
    tokens: str = "labelled",
    in_one_block: bool = False,
    **options: Any,
) -> Instance:
    """The model that does `steps` steps from W0 in released modules, with their sizes and constants.

    Args:
        kind: of the blocks.
        xp: namespace of the arrays to build.
        features: d.
        steps: L ≥ 1.
        eta: the factor of the summed gradient.
        W0: a NumPy array of numbers, shape (d, k).
        tokens: a name in the kind's layouts.
        in_one_block: make the only step in one block, without weights in the tokens.
        options: of the kind's sizes.

    Raises:
        ValueError: for fewer than one step, more than one step in one block, an unknown tokenisation, a W0 of another
            shape, and what no such blocks do.
    """
    if steps < 1 or (in_one_block and steps != 1):
        raise ValueError(f"instance(steps={steps}) expects steps ≥ 1, and 1 in one block.")
    if tokens not in kind.layouts:
        raise ValueError(f"instance(tokens={tokens!r}) expects one of {', '.join(kind.layouts)}.")
    if len(W0.shape) != 2 or W0.shape[0] != features or 0 in W0.shape:
        raise ValueError(f"instance(W0=…) expects shape ({features}, k), got {tuple(W0.shape)}.")
    kind.check(tokens, in_one_block, W0)
    layout = kind.layouts[tokens](features, W0.shape[1], weights=not in_one_block)
    sizes = kind.released(layout, in_one_block, **options)
    make = kind.one_step if in_one_block else kind.gradient_descent
    model = make(xp, layout, *sizes, eta, xp.asarray(W0))
    made = Instance(layout, sizes[0], 0 if in_one_block else steps, eta, W0, model)
    return made._replace(constants=sizes[1]) if len(sizes) > 1 else made
