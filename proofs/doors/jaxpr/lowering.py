"""A jaxpr lowered equation by equation: what a primitive becomes is looked up in the table.

A rule binds every operand and every parameter that its primitive has; what it does not bind is refused, by the
primitive's name and the user's line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from ...statement import making
from ...statement.choices import truth
from ...statement.errors import IllFormed
from ...statement.formats import Format
from ...statement.masks import is_mask
from ...statement.nodes import Held, Node, Shape
from ...statement.statement import Fit
from ...statement.whole import Number, Whole
from ..domains import Domains
from ..fitting import LIMIT, to_fit
from ..infinities import Value
from ..refused import Refused
from . import literals
from .equations import needed, place
from .sizes import Dimensions
from .values import Array, kind_of, parts

ASIDE = frozenset(
    (
        *(
            "accuracy",
            "precision",
            "preferred_element_type",
            "out_dtype",
            "sharding",
            "out_sharding",
        ),
        *("unroll", "_split_transpose", "linear"),
    )
)
"""Parameters that say how precisely, where and in which order of memory something is computed, and not what."""
INLINED = {
    **dict.fromkeys(("jit", "pjit", "remat2", "checkpoint"), "jaxpr"),
    **dict.fromkeys(
        ("closed_call", "eval_jaxpr", "custom_jvp_call", "custom_vjp_call", "core_call"),
        "call_jaxpr",
    ),
}
"""Primitives that run a program of their own as it stands, and the parameter that holds it."""
Rule = Callable[..., Any]
"""(lowering, *values, **parameters) -> the value of the result, or a list of several."""


class Lowering:
    """One program being lowered.

    Args:
        rules: the rule for each primitive's name.
        dimensions: the sizes that its shapes speak of.
        masks: whether a number far below 0 that is selected by a mask is taken for −∞.
    """

    def __init__(
        self, rules: Mapping[str, Rule], dimensions: Dimensions, masks: bool = False
    ) -> None:
        self.rules, self.dimensions, self.masks = rules, dimensions, masks
        self.taken: dict[str, None] = {}
        """What is taken for granted, in words."""
        self.fits: dict[Fit, None] = {}
        """What has to hold of the sizes for whole numbers to fit their type."""
        self._to_fit: dict[Node, dict[Fit, None]] = {}
        """The same of numbers that nothing has used yet: i + n is made for each place i of n, and used below 0."""
        self._lengths: set[Number] = set()
        """Lengths of axes that became whole numbers, which JAX itself refuses where they do not fit."""
        self.obligations: list[tuple[Node, Node, str]] = []
        """Sides that have to be equal for the nodes to be those of the program, each with what that is of."""
        self.domains = Domains()
        self._open: list[Any] = []
        self._needed: dict[int, tuple[Any, list[Any]]] = {}

    def run(self, program: Any, inputs: Sequence[Any], inlined: bool = False) -> list[Any]:
        """The outputs of a jaxpr, open or closed.

        Args:
            program: the jaxpr.
            inputs: what it is given.
            inlined: whether its outputs are those of the equation that runs it, which says whether they are used.

        Raises:
            Refused: at a primitive without a rule, or at what its rule does not read, with the user's line.
        """
        jaxpr = getattr(program, "jaxpr", program)
        consts = [self.constant(one) for one in getattr(program, "consts", ())]
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        values.update(zip(jaxpr.invars, inputs, strict=True))

        def value(atom: Any) -> Any:
            return (
                self.constant(atom.val, atom.aval.dtype) if hasattr(atom, "val") else values[atom]
            )

        for equation in self._those_needed(jaxpr):
            given = [value(atom) for atom in equation.invars]
            found = self._equation(equation, given)
            self.use(equation.primitive.name, given, found)
            for one in parts(found):
                self.domains.note(one.node)
            values.update(zip(equation.outvars, found, strict=True))
        outputs = [value(atom) for atom in jaxpr.outvars]
        if not inlined:
            self.use("outputs", outputs)
        return outputs

    def use(self, name: str, given: Sequence[Any], found: Sequence[Any] = ()) -> None:
        """Note what numbers that an equation uses need to fit; a selection uses what it does not leave out."""
        if name not in INLINED and self._to_fit:
            made = parts(found) if name == "select_n" else []
            used = (
                made[:1] if [one.node for one in made] in [[v.node] for v in parts(given)] else ()
            )
            for one in used or parts(given):
                self.fits.update(self._to_fit.pop(one.node, {}))

    def _those_needed(self, jaxpr: Any) -> list[Any]:
        kept = self._needed.get(id(jaxpr))
        if kept is None:
            kept = self._needed[id(jaxpr)] = jaxpr, needed(jaxpr)
        return kept[1]

    def _equation(self, equation: Any, inputs: list[Any]) -> list[Any]:
        self._open.append(equation)
        name = equation.primitive.name
        try:
            rule = self.rules.get(name)
            if rule is None:
                raise Refused(f"the primitive {name!r} is not read{self.where()}")
            found = self.apply(rule, name, inputs, equation.params)
        except Refused as error:
            if error.placed:
                raise
            line = "" if name in str(error) else f" ({name}{self.where()})"
            raise Refused(f"{error}{line}", error.depends, placed=True) from error
        except IllFormed as error:
            raise Refused(f"{error} ({name}{self.where()})", placed=True) from error
        finally:
            self._open.pop()
        found = found if isinstance(found, list) else [found]
        if name == "is_finite":  # by a mask, which may be of many parts, such as a loop's state
            return found
        return [
            _truth(one) if kind_of(v.aval.dtype) == "b" else one
            for one, v in zip(found, equation.outvars, strict=True)
        ]

    def apply(self, rule: Rule, name: str, inputs: Sequence[Any], given: Mapping[str, Any]) -> Any:
        """What a rule makes, which has to bind all that it is given.

        Raises:
            Refused: if it does not.
        """
        params = {key: value for key, value in given.items() if key not in ASIDE}
        try:
            _signature(rule).bind(self, *inputs, **params)
        except TypeError as error:
            said = str(error).replace("'", "")
            raise Refused(
                f"the primitive {name!r} is given what its rule does not know: {said}{self.where()}"
            ) from None
        return rule(self, *inputs, **params)

    # What rules ask for.

    def constant(self, value: Any, dtype: Any = None) -> Array:
        """A number or array of the program."""
        return literals.constant(value, dtype, self.note)

    def note(self, text: str) -> None:
        """Take something for granted, and say so."""
        self.taken.setdefault(text)

    def dtype(self, which: int = 0) -> Any:
        """The format of what the present equation makes; of complex numbers that of their parts."""
        dtype = self._open[-1].outvars[which].aval.dtype
        return np.dtype(f"f{dtype.itemsize // 2}") if kind_of(dtype) == "c" else dtype

    def shape(self, which: int = 0) -> Shape:
        """The shape of what the present equation makes."""
        return self.lengths(self._open[-1].outvars[which].aval.shape)

    def given_shape(self, which: int) -> Shape:
        """The shape of an operand of the present equation."""
        return self.lengths(self._open[-1].invars[which].aval.shape)

    def number(self, dimension: Any) -> Number:
        """A length, or what is computed of lengths."""
        return self.dimensions.number(dimension)

    def lengths(self, shape: Sequence[Any]) -> Shape:
        """Lengths, as nodes have them."""
        return tuple(map(self.number, shape))

    def fixed(self, dimension: Any, what: str) -> int:
        """A length that is a number.

        Raises:
            Refused: if it depends on sizes.
        """
        found = self.number(dimension)
        if isinstance(found, Whole):
            raise Refused(f"{what} that depends on the sizes")
        return found

    def made(self, node: Node) -> Value:
        """A node as the result of the present equation; whole numbers have to fit its format."""
        dtype = self.dtype()
        return Value(self.fitting(node, dtype) if kind_of(dtype) == "i" else node, dtype)

    def fitting(self, node: Node, dtype: Any) -> Node:
        """Whole numbers that fit their format: it is seen, or a condition on sizes, or a node that says it."""
        info = np.iinfo(dtype)
        form = Format("uint" if info.min == 0 else "int", min(info.bits, 32))  # JAX's unless told
        low, high = max(int(info.min), -LIMIT - 1), min(int(info.max), LIMIT)
        known = {LIMIT - one for one in self._lengths}
        fits = to_fit(node, low, high, f"{form.name}{self.where()}", known)
        if fits is None:
            return node if is_mask(node) else Held(node, form)
        if fits:
            self._to_fit.setdefault(node, {}).update(dict.fromkeys(fits))
        return node

    def expect_fitting(self, most: Number, dtype: Any) -> None:
        """Have the greatest of some whole numbers fit a format, whether or not it is used."""
        node = making.number(most)
        self.fitting(node, dtype)
        self.fits.update(self._to_fit.pop(node, {}))

    def length(self, number: Number) -> Value:
        """The length of an axis as the result of the present equation."""
        self._lengths.add(number)
        return self.made(making.number(number))

    def where(self) -> str:
        """The innermost line of the user's that the present equation came from, as ", file:line"."""
        places = (place(equation) for equation in reversed(self._open))
        return next((f", {where}" for where in places if where), "")


@cache
def _signature(rule: Rule) -> inspect.Signature:
    return inspect.signature(rule)


def _truth(value: Any) -> Any:
    """A result in the format of truths: whatever is not 0 is 1."""
    plain = isinstance(value, Value) and value.odd is None
    return replace(value, node=truth(value.node)) if plain else value
