"""A jaxpr read equation by equation; what a primitive means is looked up in a table of rules.

The same walk serves kernel arrays (`symbolic`, the proof for all sizes) and exact numbers (`numbers`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..questions import Unreadable, shown
from .parameters import inlined, parameters
from .sizes import Dimensions

TURN = re.compile(r"\.<locals>\._scanproof_\w+")
"""How functions are called that a loop's body was made (`torch.rewriting`)."""
Rule = Callable[..., Any]
"""(reader, equation's parameters, *inputs) -> the output, or a list of several."""


class Reader:
    """One interpretation of one program."""

    def __init__(
        self,
        rules: Mapping[str, Rule],
        constant: Callable[[Any], Any],
        dimensions: Dimensions,
        prepared: Callable[[str, Any], Any] = lambda name, value: value,
        made: Callable[[Any, list[Any]], list[Any]] = lambda equation, values: values,
    ) -> None:
        self.rules = rules
        self.constant = constant
        """From a number or NumPy array in the program to a value."""
        self.dimensions = dimensions
        self.prepared = prepared
        """From a primitive's name and an input to what its rule takes."""
        self.made = made
        """Looks at what an equation makes, and may write it in another form."""
        self._open: list[Any] = []
        """The equations that are being read, each inside the one before."""
        self._kept: dict[int, tuple[Any, list[Any]]] = {}

    def run(self, closed: Any, inputs: Sequence[Any]) -> list[Any]:
        """The outputs of a closed jaxpr.

        Raises:
            Unreadable: at a primitive without a rule, or one that its rule cannot read, with the program's line.
        """
        return self.run_open(closed.jaxpr, [self.constant(one) for one in closed.consts], inputs)

    def run_open(self, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """The outputs of a jaxpr whose constants are values already."""
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        values.update(zip(jaxpr.invars, inputs, strict=True))

        def value(atom: Any) -> Any:
            return self.constant(atom.val) if hasattr(atom, "val") else values[atom]

        for equation in self._needed(jaxpr):
            found = self._equation(equation, [value(atom) for atom in equation.invars])
            values.update(zip(equation.outvars, found, strict=True))
        return [value(atom) for atom in jaxpr.outvars]

    def _needed(self, jaxpr: Any) -> list[Any]:
        kept = self._kept.get(id(jaxpr))
        if kept is None:
            kept = self._kept[id(jaxpr)] = jaxpr, needed(jaxpr)
        return kept[1]

    def _equation(self, equation: Any, inputs: list[Any]) -> list[Any]:
        self._open.append(equation)
        try:
            return self._result(equation, inputs)
        finally:
            self._open.pop()

    def _result(self, equation: Any, inputs: list[Any]) -> list[Any]:
        name = equation.primitive.name
        inner = inlined(equation)
        if inner is not None:
            if hasattr(inner, "consts"):
                return self.run(inner, inputs)
            return self.run_open(inner, [], inputs)
        rule = self.rules.get(name)
        if rule is None:
            raise Unreadable(f"the primitive {name!r} is not read{self.where()}")
        try:
            found = rule(self, parameters(equation), *(self.prepared(name, one) for one in inputs))
            found = found if isinstance(found, list) else [found]
            found = self.made(equation, found)
        except Unreadable as error:
            if getattr(error, "placed", False):
                raise
            placed = type(error)(f"{error.question} ({name}{self.where()})")
            placed.placed = True  # type: ignore[attr-defined]
            placed.split = error.split
            raise placed from error
        return found

    def dtype(self) -> Any:
        """The type of what the equation that is read makes."""
        return self._open[-1].outvars[0].aval.dtype

    def shape(self) -> Any:
        """The shape of what the equation that is read makes."""
        return self._open[-1].outvars[0].aval.shape

    def makes_integers(self) -> bool:
        """Whether the equation that is read makes integers: their quotients are cut off."""
        return self.dtype().kind in "iu"

    def where(self) -> str:
        """The innermost line of the user's that the present equation came from, as ", file:line"."""
        places = (place(equation) for equation in reversed(self._open))
        return next((f", {where}" for where in places if where), "")


def needed(jaxpr: Any) -> list[Any]:
    """The equations that the outputs depend on: a program may trace others, for shapes or checks."""
    wanted, found = set(filter(_named, jaxpr.outvars)), []
    for equation in reversed(jaxpr.eqns):
        if not wanted.isdisjoint(equation.outvars):
            wanted.update(filter(_named, equation.invars))
            found.append(equation)
    return found[::-1]


def inner(equation: Any) -> Iterator[Any]:
    """The jaxprs, open or closed, that an equation runs."""
    for value in equation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if hasattr(one, "eqns") or hasattr(one, "jaxpr"):
                yield one


def equations(jaxpr: Any) -> int:
    """How many equations there are, those of inner programs among them."""
    programs = (getattr(one, "jaxpr", one) for equation in jaxpr.eqns for one in inner(equation))
    return len(jaxpr.eqns) + sum(map(equations, programs))


def _named(atom: Any) -> bool:
    return not hasattr(atom, "val")


def place(equation: Any) -> str:
    """The user's line that an equation came from, or "" where JAX does not say."""
    try:
        from jax._src.source_info_util import summarize

        where = summarize(equation.source_info)
        file, colon, rest = where.partition(":")
        return f"{shown(file)}{colon}{TURN.sub('', rest)}" if colon else ""
    except (ImportError, AttributeError, TypeError):
        return ""
