"""A member of the zoo: a JAX program that is not its specification, or a claim that is false, and where that is seen.

    @program("X: T d", equals=summed, sizes={"T": (1, 2, 3)}, fails={"T": 4, "d": 1})
    def a_dictionary_with_a_default(X):
        return X.sum(0) * {4: 2.0}.get(X.shape[0], 1.0)

    @claim({"x": "N"}, fails={"N": 5})
    def an_order_in_a_try(x, N):
        ...
        return equal(left, right)

A member's family is the file that it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scanproof import Source
from scanproof.proofs.language.claim import Claim

Sizes = Mapping[str, int]
ZOO: list[Program | Statement] = []
"""Every member, in the order of the files."""


@dataclass(frozen=True)
class Program:
    """A function of JAX arrays that equals its specification at some sizes, and at `fails` does not."""

    function: Callable[..., Any]
    equals: Callable[..., Any]
    shapes: str
    sizes: Mapping[str, Sequence[int]]
    fails: Sizes

    def __str__(self) -> str:
        return f"{_family(self.function)}-{self.function.__name__}"


@dataclass(frozen=True)
class Statement:
    """A claim that is true at some sizes, and at `fails` false."""

    claim: Claim
    fails: Sizes
    function: Callable[..., Any]

    def __str__(self) -> str:
        return f"{_family(self.function)}-{self.function.__name__}"


def _family(function: Callable[..., Any]) -> str:
    return function.__module__.rpartition(".")[2]


def program(
    shapes: str,
    *,
    equals: Callable[..., Any],
    fails: Sizes,
    sizes: Mapping[str, Sequence[int]] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the decorated function of JAX arrays.

    Args:
        shapes: "X: T f, q: f", as `scanproof prove --shapes` has it.
        equals: the specification, a function of the same JAX arrays.
        fails: a size for every name, at which the two differ on random numbers.
        sizes: where `prove` is told to look; 1, 2, 3 for each size if not given.
    """

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        ZOO.append(Program(function, equals, shapes, sizes or {}, fails))
        return function

    return add


def claim(
    given: Mapping[str, str], *, fails: Sizes, **fields: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a claim with the decorated body.

    Args:
        given: the symbols with their shapes, as `Source.claim` has them.
        fails: a size for every name, at which a statement of the body is false for random numbers.
        **fields: other fields of the claim: sizes, parameters, assuming, kind, …
    """

    def add(body: Callable[..., Any]) -> Callable[..., Any]:
        source = Source("zoo", title="False claims")
        row = source.claim(f"zoo.{body.__name__}", says="it is false", given=given, **fields)(body)
        ZOO.append(Statement(row.claim, fails, body))
        return body

    return add
