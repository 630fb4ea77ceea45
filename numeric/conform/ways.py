"""The ways in which a causal model can be given prompts: whole, padded, through a cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from .prompts import Prompts

Way = tuple[str, Prompts, Callable[[], np.ndarray]]
"""What is done, with which prompts, and the predictions (prompts, k) that come of it."""
PADDED = 70
"""Tokens of padding beside whole prompts: with them a prompt is longer than what some libraries call short."""


class Model(Protocol):
    """A model of a library, with an export's weights.

    What a library does not offer raises `NotImplementedError`, with the reason.
    """

    packages: tuple[str, ...]
    """Those whose versions matter."""

    def outputs(self, rows: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """Predictions at every token: (B, T, M) -> (B, T, k); `mask` (B, T) is 0 where there is padding."""
        ...

    def continued(self, rows: np.ndarray, cuts: list[int]) -> np.ndarray:
        """The same through a cache, in parts that end at the cuts; the last part is returned."""
        ...

    def more(self, whole: Prompts) -> Iterator[Way]:
        """What this library offers besides."""
        ...


def ways(model: Model, whole: Prompts, ragged: Prompts) -> Iterator[Way]:
    """Every way.

    Args:
        model: of a library.
        whole: prompts of one length.
        ragged: prompts of several lengths.
    """
    rows = np.stack(whole.embeddings)
    T = rows.shape[1]
    yield "one batch", whole, lambda: model.outputs(rows)[:, -1]
    yield "one prompt at a time", whole, lambda: _apart(model, whole)
    yield "of several lengths, one at a time", ragged, lambda: _apart(model, ragged)
    yield "padded on the left", ragged, lambda: padded(model, ragged)
    yield "padded on the right", ragged, lambda: padded(model, ragged, left=False)
    yield f"{PADDED} tokens of padding", whole, lambda: padded(model, whole, by=PADDED)
    if T > 1:
        yield "a cache, in two halves", whole, lambda: model.continued(rows, [T // 2])[:, -1]
        yield "a cache, the query apart", whole, lambda: model.continued(rows, [T - 1])[:, -1]
    if T > 2:
        cuts = [*range(1, T)]
        yield "a cache, token by token", whole, lambda: model.continued(rows, cuts)[:, -1]
    yield from model.more(whole)


def _apart(model: Model, prompts: Prompts) -> np.ndarray:
    return np.concatenate([model.outputs(rows[None])[:, -1] for rows in prompts.embeddings])


def padded(model: Model, prompts: Prompts, *, left: bool = True, by: int = 0) -> np.ndarray:
    """The predictions of a batch in which shorter prompts are padded, and all of them by so many tokens more.

    In the places of padding stands the first example again, which is learned from where the mask is not heeded.
    """
    length = max(prompts.lengths) + by
    rows = np.stack([np.repeat(each[:1], length, axis=0) for each in prompts.embeddings])
    mask = np.zeros(rows.shape[:2], dtype=np.int64)
    for i, each in enumerate(prompts.embeddings):
        place = slice(length - len(each), length) if left else slice(0, len(each))
        rows[i, place], mask[i, place] = each, 1
    found = model.outputs(rows, mask)
    last = [length - 1 if left else n - 1 for n in prompts.lengths]
    return found[np.arange(len(last)), last]


@contextmanager
def with_each(modules: Sequence[Any], name: str, value: Any) -> Iterator[None]:
    """A block in which an attribute of each module has this value, such as a chunk's length or a mode."""
    before = [getattr(one, name) for one in modules]
    try:
        for one in modules:
            setattr(one, name, value)
        yield
    finally:
        for one, own in zip(modules, before, strict=True):
            setattr(one, name, own)


def in_parts(rows: Any, cuts: list[int]) -> Iterator[Any]:
    """The tokens between the cuts: (B, T, M) -> (B, t, M) each."""
    ends = [0, *cuts, rows.shape[1]]
    return (rows[:, a:b] for a, b in pairwise(ends))
