"""`einops`' rearrange, repeat and reduce over reshape and transpose, for axes of symbolic lengths."""

from __future__ import annotations

import re
from typing import Any

from jax import numpy as jnp

from .tensors import Tensor, entries, refuse

REDUCTIONS = {"sum": jnp.sum, "mean": jnp.mean, "max": jnp.max, "min": jnp.min}


def rearrange(tensor: Any, pattern: str, **lengths: Any) -> Tensor:
    """Axes split, joined and reordered: "b (n c) d -> b n c d"."""
    return _transformed(tensor, pattern, lengths, None)


def repeat(tensor: Any, pattern: str, **lengths: Any) -> Tensor:
    """The same, with new axes along which entries repeat."""
    return _transformed(tensor, pattern, lengths, "repeat")


def reduce(tensor: Any, pattern: str, reduction: str, **lengths: Any) -> Tensor:
    """The same, with axes that are left out summed, averaged, or their largest or least taken."""
    if reduction not in REDUCTIONS:
        raise refuse(f"einops.reduce by {reduction!r}")
    return _transformed(tensor, pattern, lengths, reduction)


def einsum(*given: Any) -> Tensor:
    """`einops.einsum`, whose letters are words: "b t d, b s d -> b t s"."""
    *tensors, pattern = given
    letters: dict[str, str] = {}

    def short(words: str) -> str:
        return "".join(
            "..." if w == "..." else letters.setdefault(w, chr(97 + len(letters)))
            for w in words.split()
        )

    before, _, after = pattern.partition("->")
    equation = ",".join(map(short, before.split(","))) + "->" + short(after)
    return Tensor(jnp.einsum(equation, *map(entries, tensors)))


def _groups(side: str) -> list[list[str]]:
    """The axes of one side, each with the names that it is made of."""
    found = re.findall(r"\(([^()]*)\)|(\.\.\.|[A-Za-z_]\w*|1)", side)
    if re.sub(r"\([^()]*\)|\.\.\.|[A-Za-z_]\w*|1|\s", "", side):
        raise refuse(f"the pattern {side!r} of einops")
    return [inner.split() if not word else ([] if word == "1" else [word]) for inner, word in found]


def _transformed(tensor: Any, pattern: str, lengths: dict[str, Any], how: str | None) -> Tensor:
    array = (
        jnp.stack([t.array for t in tensor])
        if isinstance(tensor, list | tuple)
        else entries(tensor)
    )
    left, arrow, right = pattern.partition("->")
    before, after = _groups(left), _groups(right)
    if not arrow:
        raise refuse(f"the pattern {pattern!r} of einops")
    spare = array.ndim - (len(before) - 1)
    others = [f"...{k}" for k in range(spare)]
    before, after = (_spelled_out(side, others) for side in (before, after))
    if len(before) != array.ndim:
        raise refuse(f"the pattern {pattern!r} of einops on a tensor of {array.ndim} axes")
    known = dict(lengths)
    for names, length in zip(before, array.shape, strict=True):
        _solve(names, length, known)
    names = [n for group in before for n in group]
    wanted = [n for group in after for n in group]
    array = array.reshape(tuple(known[n] for n in names))
    gone = [n for n in names if n not in wanted]
    new = [n for n in wanted if n not in names]
    if (gone and how not in REDUCTIONS) or (new and how != "repeat"):
        raise refuse(f"the pattern {pattern!r} of einops, whose sides have other axes")
    if gone:
        array = REDUCTIONS[how](array, axis=tuple(names.index(n) for n in gone))  # type: ignore[index]
        names = [n for n in names if n not in gone]
    for n in new:
        array = jnp.broadcast_to(array[..., None], (*array.shape, known[n]))
        names.append(n)
    array = array.transpose([names.index(n) for n in wanted])
    shape = []
    for group in after:
        length: Any = 1
        for n in group:
            length = length * known[n]
        shape.append(length)
    made = array.reshape(tuple(shape))
    if not isinstance(tensor, Tensor):
        return Tensor(made)
    return tensor.spread(made) if new else tensor._view(made)


def _spelled_out(side: list[list[str]], others: list[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for group in side:
        if group == ["..."]:
            found += [[n] for n in others]
        else:
            found.append([m for n in group for m in (others if n == "..." else [n])])
    return found


def _solve(names: list[str], length: Any, known: dict[str, Any]) -> None:
    """The length of the one name of an axis that is not known."""
    open_ones = [n for n in names if n not in known]
    rest: Any = 1
    for n in names:
        rest = rest * known.get(n, 1)
    if len(open_ones) == 1:
        known[open_ones[0]] = length if isinstance(rest, int) and rest == 1 else length // rest
    elif open_ones:
        raise refuse(f"an axis of einops with more than one unknown length, {' '.join(open_ones)}")
