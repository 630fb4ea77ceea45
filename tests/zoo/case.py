"""A member of the zoo: a JAX program that is not its specification, or a claim that is false, and where that is seen.

    @program("X: T d", equals=summed, sizes={"T": (1, 2, 3)}, fails={"T": 4, "d": 1})
    def only_the_first_three(X):
        return X[:3].sum(0)

    @claim({"x": "N"}, fails={"N": 4})
    def a_window_of_the_first_three(x):
        return equal(total(x[:3]), total(x))

    @question(at=4)
    def an_order_in_a_try(n):
        ...
        return 2 if long else 1

    @counter
    def a_list_that_grows():
        ...
        return lambda: 1 if len(seen) <= 3 else 2

A question is a factor that is 1 until its size is the one named; it is asked in a claim, and every third in a program
too. A counter makes a function that hands back 1 at its first three calls; the first is called in a loop, the next in
`build`, then in `scan`, in `iterate`, and so on. A member's family is the file that it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, cycle
from typing import Any

from scanproof import Source, build, definition, each, equal, iterate, scan
from scanproof.proofs.language.claim import Claim

Sizes = Mapping[str, int]
Body = Callable[..., Any]
ZOO: list[Program | Statement] = []
"""Every member, in the order of the files."""
ASKED = count()
"""How many questions there are so far."""


@dataclass(frozen=True)
class Program:
    """A function of JAX arrays that equals its specification at some sizes, and at `fails` does not."""

    name: str
    function: Body
    equals: Body
    shapes: str
    sizes: Mapping[str, Sequence[int]]
    fails: Sizes

    def __str__(self) -> str:
        return f"p-{self.name}"


@dataclass(frozen=True)
class Statement:
    """A claim that is true at some sizes, and at `fails` false; where it is None, numbers do not show that."""

    name: str
    claim: Claim
    fails: Sizes | None

    def __str__(self) -> str:
        return f"c-{self.name}"


def _named(function: Body, where: str = "") -> str:
    family = function.__module__.rpartition(".")[2]
    return f"{family}-{function.__name__}" + (f"-{where}" if where else "")


def program(
    shapes: str,
    *,
    equals: Body,
    fails: Sizes,
    sizes: Mapping[str, Sequence[int]] | None = None,
    name: str = "",
) -> Callable[[Body], Body]:
    """Add the decorated function of JAX arrays.

    Args:
        shapes: "X: T f, q: f", as `scanproof prove --shapes` has it.
        equals: the specification, a function of the same JAX arrays.
        fails: a size for every name, at which the two differ on random numbers.
        sizes: where `prove` is told to look; 1, 2, 3 for each size if not given.
        name: the member's name, if it is not that of its file and function.
    """

    def add(function: Body) -> Body:
        ZOO.append(Program(name or _named(function), function, equals, shapes, sizes or {}, fails))
        return function

    return add


def claim(
    given: Mapping[str, str], *, fails: Sizes | None, name: str = "", **fields: Any
) -> Callable[[Body], Body]:
    """Add a claim with the decorated body.

    Args:
        given: the symbols with their shapes, as `Source.claim` has them.
        fails: a size for every name, at which a statement of the body is false for random numbers; None where it is
            false for another reason.
        name: the member's name, if it is not that of its file and function.
        **fields: other fields of the claim: sizes, parameters, assuming, kind, …
    """

    def add(body: Body) -> Body:
        source = Source("zoo", title="False claims")
        row = source.claim(f"zoo.{body.__name__}", says="it is false", given=given, **fields)(body)
        ZOO.append(Statement(name or _named(body), row.claim, fails))
        return body

    return add


@definition
def twice(x):
    """Twice x."""
    return x + x


@definition
def total(x):
    """The sum of the entries."""
    return x.sum()


def summed(X):
    return X.sum(0)


def same(X):
    return X


def in_every_third(*given: Any, **fields: Any) -> Callable[[Body], Body]:
    """Add the program of every third question: they ask what the claims ask, and take longer."""
    return program(*given, **fields) if next(ASKED) % 3 == 0 else lambda body: body


def question(*, at: int) -> Callable[[Body], Body]:
    """Ask a size the decorated question."""

    def add(asked: Body) -> Body:
        @claim({"x": "N"}, fails={"N": at}, name=_named(asked))
        def in_a_claim(x, N):
            return equal(twice(x), 2 * asked(N) * x)

        @in_every_third("X: T d", equals=summed, fails={"T": at, "d": 1}, name=_named(asked))
        def in_a_program(X):
            return X.sum(0) * asked(X.shape[0])

        return asked

    return add


def question_of_two(*, at: tuple[int, int]) -> Callable[[Body], Body]:
    """Ask two sizes the decorated question."""

    def add(asked: Body) -> Body:
        @claim({"x": "N f"}, fails=dict(zip("Nf", at, strict=True)), name=_named(asked))
        def in_a_claim(x, N, f):
            return equal(twice(x), 2 * asked(N, f) * x)

        @in_every_third(
            "X: T d", equals=summed, fails=dict(zip("Td", at, strict=True)), name=_named(asked)
        )
        def in_a_program(X):
            return X.sum(0) * asked(*X.shape)

        return asked

    return add


def question_of_an_array(*, at: int) -> Callable[[Body], Body]:
    """Ask a vector the decorated question."""

    def add(asked: Body) -> Body:
        @claim({"x": "N"}, fails={"N": at}, name=_named(asked))
        def in_a_claim(x):
            return equal(twice(x), 2 * asked(x) * x)

        @in_every_third("x: T", equals=same, fails={"T": at}, name=_named(asked))
        def in_a_program(x):
            return x * asked(x)

        return asked

    return add


def questions(*, at: int, **every: Body) -> None:
    """Ask a size each of these questions, by their names."""
    for name, asked in every.items():
        asked.__name__ = name
        question(at=at)(asked)


def counter(made: Body) -> Body:
    """Count the turns of a loop, or the calls of a function, with what the decorated function makes."""
    next(COUNTED)(made)
    return made


def in_a_loop(made: Body) -> None:
    @claim({"x": "N"}, fails={"N": 4}, name=_named(made, "each"))
    def counted(x, N):
        factor = made()
        for t in each(1, N):
            yield equal(twice(x[t - 1]), 2 * factor() * x[t - 1])


def in_build(made: Body) -> None:
    @claim({"x": "N"}, fails={"N": 4}, name=_named(made, "build"))
    def counted(x, N, xp):
        factor = made()
        return equal(twice(build(xp, N, lambda i: factor() * x[i])), 2 * x)


def in_scan(made: Body) -> None:
    @claim({"x": "N", "w": ""}, fails={"N": 4}, name=_named(made, "scan"))
    def counted(x, w):
        factor = made()

        def step(parameters, state, token):
            state = state + factor() * token
            return state, state

        return equal(scan(step, None, w, x).final_state, w + x.sum())


def in_iterate(made: Body) -> None:
    @claim({"x": "N", "w": ""}, fails={"N": 4}, name=_named(made, "iterate"))
    def counted(x, w, N):
        factor = made()
        moved = iterate(lambda v: v + factor() * x[0], w, N)
        return equal(twice(moved), 2 * (w + N * x[0]))


COUNTED = cycle((in_a_loop, in_build, in_scan, in_iterate))
"""Where the next counter is called."""


def counters(**every: Body) -> None:
    """Count with each of these, by their names."""
    for name, made in every.items():
        made.__name__ = name
        counter(made)
