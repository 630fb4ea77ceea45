"""A rewrite rule as two JAX functions, and a false variant of it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
from equations import function_of

from scanproof.proofs.language.sizes import names, shapes_in

Function = Callable[..., Any]
FEW = 3
"""A rule with more sizes is computed at two values of each: they multiply."""


@dataclass(frozen=True)
class Rule:
    """left = right, at all sizes of these shapes."""

    name: str
    """The folder and the number that the rule has in TensorRight."""
    says: str
    """The rule as it is named there."""
    shapes: str
    """The arrays and their lengths, which say the conditions too: a slice fits into `A: s+n+r`.

    A whole number of the rule, such as where a slice starts, is the length of an array that is not looked at.
    """
    left: Function
    right: Function
    false: Function
    """Something near the right side that is not equal to the left."""
    least: Mapping[str, int] = field(default_factory=dict)
    """The least value of a size, where that is not 0."""
    verified: bool = True
    """Whether TensorRight verifies it, and does not only have it in its files."""

    @property
    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Where it is computed with numbers; the proof is for all sizes from the least of them on."""
        letters = names(list(shapes_in(self.shapes).values()))
        more = (0, 1, 2) if len(letters) <= FEW else (0, 2)
        return {n: tuple(self.least.get(n, 0) + k for k in more) for n in letters}

    @property
    def conditions(self) -> str:
        """The shapes, and sizes that are not 0."""
        more = ", ".join(f"{name} ≥ {low}" for name, low in self.least.items())
        return f"{self.shapes}; {more}" if more else self.shapes


def count(array: jax.Array) -> int:
    """The whole number that an array stands for: its length."""
    return array.shape[0]


def rules(names_of_module: dict[str, Any], text: str) -> list[Rule]:
    """The rules of a text, whose expressions use a module's names; the arrays in the shapes are the arguments.

    add/02: Add(A, 0) ⇒ A
        A: n m; n ≥ 1; not verified
        A + jnp.zeros(A.shape) = A ≠ -A

    is the rule that the first is the second, with the third as its false variant.
    """
    return [
        _rule(names_of_module, block) for block in re.split(r"\n(?=\w+(?:/\d+)?: )", text.strip())
    ]


def _rule(names_of_module: dict[str, Any], block: str) -> Rule:
    head, conditions, expressions = re.fullmatch(
        r"(.*?)\n    (\S.*?)\n(.*)", block, re.DOTALL
    ).groups()
    name, _, says = re.sub(r"\s+", " ", head).partition(": ")
    shapes, *more = conditions.split("; ")
    arrays = ", ".join(part.partition(":")[0] for part in shapes.split(", "))
    left, right, false = re.split(" [=≠] ", re.sub(r"\s+", " ", expressions.strip()))
    least = dict(one.split(" ≥ ") for one in more if one != "not verified")
    left, right, false = (function_of(arrays, one, names_of_module) for one in (left, right, false))
    smallest = {size: int(low) for size, low in least.items()}
    verified = "not verified" not in more
    return Rule(name, says, shapes, left, right, false, smallest, verified)
