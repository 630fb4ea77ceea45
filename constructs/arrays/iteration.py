"""Applying a step a number of times, for every backend: that many times, or once where the number is a symbol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .array_api import namespace
from .ranges import is_number
from .scan import leaves, stacked


def iterate(step: Callable[[Any], Any], state: Any, count: Any) -> Any:
    """The state after `count` ≥ 0 applications of `state = step(state)`.

    Args:
        step: maps a state to a state of the same form and shapes.
        state: an array, or a (nested, named) tuple of arrays.
        count: a number, or a symbolic size where the arrays' namespace has an `iterate` of its own.
    """
    own = _own("iterate", state, count)
    if own is not None:
        return own(step, state, count)
    for _ in range(count):
        state = step(state)
    return state


def iterates(step: Callable[[Any], Any], state: Any, count: Any) -> Any:
    """The states before each of `count` ≥ 1 applications, stacked: S_0, …, S_{count−1}, S_{i+1} = step(S_i).

    Arguments are those of `iterate`; every array of the result has a new first axis of length `count`.

    Raises:
        ValueError: if `count` is a number below 1.
    """
    own = _own("iterates", state, count)
    if own is not None:
        return own(step, state, count)
    if count < 1:
        raise ValueError(f"iterates() expects count ≥ 1, got {count}.")
    states = [state]
    for _ in range(count - 1):
        states.append(step(states[-1]))
    return stacked(states)


def _own(name: str, state: Any, count: Any) -> Any:
    """What the arrays' namespace offers for a symbolic count; None for a number."""
    if is_number(count):
        return None
    xp = namespace(leaves(state)[0])
    # by its own name: kernel arrays hear who looks for it otherwise
    if name == "iterate":
        return getattr(xp, "iterate", None)
    return getattr(xp, "iterates", None)
