"""What a claim's functions are made of: their code, and the whole numbers that stand in it or that it can look up.

From it the sizes are drawn at which a claim is tried beyond its evidence: nobody chooses them, and a number that a
program compares a size with is most likely one that stands in its text.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ..doors.record.python import names_in

MOST = 2_000
"""No more objects are looked at."""
SMALL = 3
"""Whole numbers up to this one are inputs anyway."""
COMPARED = 2**24
"""Beyond this number float32 does not tell whole numbers apart; a literal there, such as −1e9, stands for infinity."""
FOREIGN = ("scanproof", "jax", "jaxlib", "numpy", "sympy", "flint", "builtins")
"""Packages whose own constants say nothing about the claim."""
CLAIMS = "scanproof.proofs.claims"
"""Where claims of scanproof itself stand, as those of a user's file."""


class Source:
    """The code and numbers that can be reached from some functions."""

    def __init__(self, functions: Iterable[Callable[..., Any] | None]) -> None:
        self.numbers: set[int] = set()
        self._decimals: set[Fraction] = set()
        self._code: set[bytes] = set()
        self._seen: set[int] = set()
        self._kept: list[Any] = []
        waiting = [f for f in functions if f is not None]
        while waiting and len(self._seen) < MOST:
            one = waiting.pop()
            if id(one) not in self._seen:
                self._seen.add(id(one))
                self._kept.append(one)  # so that no other object gets its number
                waiting += self._inside(one)

    @property
    def seed(self) -> int:
        """A number that depends on all of the code, and not on the order in which its parts are reached."""
        digest = hashlib.sha256(b"\0".join(sorted(self._code))).digest()
        return int.from_bytes(digest[:8], "big")

    @property
    def literals(self) -> list[Fraction]:
        """The numbers that inputs may be compared with, decimals among them, the nearest to 0 first."""
        whole = {Fraction(n) for n in self.numbers if abs(n) > SMALL}
        few = (number for number in self._decimals | whole if abs(number) <= COMPARED)
        return sorted(few, key=lambda number: (abs(number), number))

    def _inside(self, one: Any) -> Iterator[Any]:
        """What an object holds; numbers and code are noted."""
        if type(one) is int:
            self.numbers.add(one)
        elif type(one) is float and math.isfinite(one):
            self._decimals.add(Fraction(repr(one)))
        elif isinstance(one, CodeType):
            self._code.add(one.co_code + repr(one.co_names).encode())
            yield from one.co_consts
        elif isinstance(one, str | bytes):
            self._code.add(repr(one).encode())
            yield from _digits(one) if len(one) < 100 else ()
        elif isinstance(one, FunctionType):
            yield from self._of_function(one)
        elif isinstance(one, MethodType):
            yield from (one.__func__, one.__self__)
        elif isinstance(one, functools.partial):
            yield from (one.func, *one.args, *one.keywords.values())
        elif isinstance(one, dict):
            yield from (*one.keys(), *one.values())
        elif isinstance(one, tuple | list | set | frozenset):
            yield from one
        elif isinstance(one, ModuleType) or _package(one) in FOREIGN:
            return
        else:
            inner = getattr(one, "__wrapped__", None)
            yield from () if inner is None else (inner,)
            yield from vars(one).values() if hasattr(one, "__dict__") else ()
            if not isinstance(one, type):
                yield type(one)

    def _of_function(self, one: FunctionType) -> Iterator[Any]:
        yield from one.__defaults__ or ()
        yield from (one.__kwdefaults__ or {}).values()
        for cell in one.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # it is not filled yet
                continue
        if hasattr(one, "__wrapped__"):
            yield one.__wrapped__
        written_in = str(
            one.__globals__.get("__name__")
        )  # a wrapper has the __module__ of the wrapped
        if written_in.partition(".")[0] in FOREIGN and not written_in.startswith(CLAIMS):
            return
        yield one.__code__
        yield from (one.__globals__[n] for n in names_in(one.__code__) if n in one.__globals__)


def _package(one: Any) -> str:
    return str(getattr(one, "__module__", None) or type(one).__module__).partition(".")[0]


def _digits(text: str | bytes) -> Iterator[int]:
    """The numbers that a text spells, as a key such as "4" or "T=4" does."""
    word = ""
    for letter in f"{text!r} ":
        if letter in "0123456789":
            word += letter
        elif word:
            yield int(word[:9])
            word = ""
