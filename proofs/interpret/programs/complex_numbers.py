"""Complex numbers as pairs of real ones, whether these are terms of the kernel or exact scalars.

Each primitive on complex numbers is made of the rules for real ones: what moves or adds entries does so to both parts,
products are (a + bi)(c + di) = (ac − bd) + (ad + bc)i, exp(a + bi) = exp(a)(cos b + i sin b), and loops carry two real
arrays for a complex one. What is not in the table is refused. Inputs are real; a complex result is two real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..array import KernelArray
from ..questions import Unreadable
from .parameters import ScanParameters
from .reader import Rule
from .values import Complex

PARTWISE = (
    *("broadcast_in_dim", "transpose", "squeeze", "expand_dims", "reshape", "slice", "rev"),
    *("concatenate", "stack", "unstack", "tile", "split", "pad", "gather", "dynamic_slice"),
    *("dynamic_update_slice", "scatter", "scatter-add", "scatter_add", "select_n"),
    *("add", "add_any", "sub", "neg", "reduce_sum", "cumsum"),
    *("copy", "copy_p", "stop_gradient", "optimization_barrier"),
)
"""Primitives that do to both parts what they do to real numbers; masks and places are the same for both."""


class _Real:
    """The rules for real numbers, by their names, as methods of the arrays that a reader reads."""

    def __init__(self, reader: Any, rules: Mapping[str, Rule]) -> None:
        self.reader, self.rules = reader, rules

    def __call__(self, name: str, *inputs: Any, **params: Any) -> Any:
        return self.rules[name](self.reader, params, *inputs)

    def number(self, value: float) -> Any:
        """A number as a value."""
        return self.reader.constant(np.float64(value))

    def complex(self, value: Any) -> Complex:
        """Any value as a complex one."""
        if isinstance(value, Complex):
            return value
        real = self("convert_element_type", value, new_dtype=np.dtype(np.float64))
        return Complex(real, self("mul", real, self.number(0.0)))


def with_complex_numbers(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """The rules, and others for primitives with complex numbers, made of them."""

    def either(name: str) -> Rule:
        def rule(reader: Any, params: Any, *inputs: Any) -> Any:
            if not any(isinstance(x, Complex) for x in inputs) and not _makes_complex(name, params):
                return rules[name](reader, params, *inputs)
            if name in PARTWISE:
                return _partwise(_Real(reader, rules), name, params, *inputs)
            if name not in TABLE:
                raise Unreadable(f"{name} of complex numbers")
            return TABLE[name](_Real(reader, rules), params, *inputs)

        return rule

    return {name: either(name) for name in (*rules, *(n for n in TABLE if n not in rules))}


def with_complex_constants(constant: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """From a number or array of a program to a value, a complex one to a pair."""

    def value(given: Any) -> Any:
        array = np.asarray(given)
        if array.dtype.kind != "c":
            return constant(given)
        return Complex(constant(np.real(array)), constant(np.imag(array)))

    return value


def with_complex_inputs(prepared: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    """From a primitive's input to what its rule takes, part by part."""

    def value(name: str, given: Any) -> Any:
        if isinstance(given, Complex):
            return Complex(prepared(name, given.real), prepared(name, given.imag))
        return prepared(name, given)

    return value


def _is_complex(aval: Any) -> bool:
    return getattr(aval, "dtype", None) is not None and aval.dtype.kind == "c"


def _makes_complex(name: str, params: Any) -> bool:
    """Whether a primitive of real inputs has to do with complex numbers."""
    if name == "scan":
        return any(map(_is_complex, (*params.body.in_avals, *params.body.out_avals)))
    if name == "convert_element_type":
        return getattr(params["new_dtype"], "kind", None) == "c"
    return name in ("complex", "real", "imag", "conj")


def _partwise(real: _Real, name: str, params: Any, *inputs: Any) -> Any:
    parts = [
        real.rules[name](
            real.reader, params, *(getattr(x, p) if isinstance(x, Complex) else x for x in inputs)
        )
        for p in ("real", "imag")
    ]
    if isinstance(parts[0], list):
        return [Complex(*pair) for pair in zip(*parts, strict=True)]
    return Complex(*parts)


def _product(name: str) -> Callable[..., Complex]:
    """What is linear in two arguments: (ac − bd) + (ad + bc)i."""

    def rule(real: _Real, params: Any, x: Any, y: Any) -> Complex:
        (a, b), (c, d) = real.complex(x), real.complex(y)

        def of(one: Any, other: Any) -> Any:
            return real(name, one, other, **params)

        return Complex(real("sub", of(a, c), of(b, d)), real("add", of(a, d), of(b, c)))

    return rule


_times = _product("mul")


def _square(real: _Real, params: Any, x: Any) -> Complex:
    return _times(real, {}, x, x)


def _size(real: _Real, x: Complex) -> Any:
    """|x|²."""
    return real("add", real("mul", x.real, x.real), real("mul", x.imag, x.imag))


def _div(real: _Real, params: Any, x: Any, y: Any) -> Complex:
    x, y = real.complex(x), real.complex(y)
    if _vanishes(y.imag):
        return Complex(real("div", x.real, y.real), real("div", x.imag, y.real))
    top, bottom = _times(real, {}, x, _conj(real, {}, y)), _size(real, y)
    return Complex(real("div", top.real, bottom), real("div", top.imag, bottom))


def _integer_pow(real: _Real, params: Any, x: Any) -> Complex:
    found = real.complex(real.number(1.0))
    for _ in range(abs(params["y"])):
        found = _times(real, {}, found, x)
    return found if params["y"] >= 0 else _div(real, {}, real.number(1.0), found)


def _exp(real: _Real, params: Any, x: Complex) -> Complex:
    grown = real("exp", x.real)
    if _vanishes(x.imag):
        return Complex(grown, x.imag)
    turned = real("cos", x.imag), real("sin", x.imag)
    return Complex(*(real("mul", grown, one) for one in turned))


def _vanishes(array: Any) -> bool:
    """Whether a part is seen to be 0 everywhere."""
    return isinstance(array, KernelArray) and not array.term.parts


def _conj(real: _Real, params: Any, x: Any) -> Complex:
    x = real.complex(x)
    return Complex(x.real, real("neg", x.imag))


def _abs(real: _Real, params: Any, x: Complex) -> Any:
    return real("sqrt", _size(real, x))


def _convert(real: _Real, params: Any, x: Any) -> Any:
    if not getattr(params["new_dtype"], "kind", None) == "c":
        raise Unreadable("a cast of complex numbers to real ones")
    return real.complex(x)


def _complex(real: _Real, params: Any, re: Any, im: Any) -> Complex:
    return Complex(re, im)


# Loops: two real arrays for each complex one.


class _Flat:
    """A program on complex arrays as one on their parts."""

    def __init__(self, program: Any) -> None:
        self.program = program
        inner = getattr(program, "jaxpr", program)
        self.invars = inner.invars
        self.takes = [v.aval for v in inner.invars]
        self.gives = [v.aval for v in inner.outvars]
        self.in_avals, self.out_avals = (_doubled(avals) for avals in (self.takes, self.gives))


class _Pairs:
    """A reader that runs such programs."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def run(self, program: _Flat, inputs: Sequence[Any]) -> list[Any]:
        """The parts of the outputs from the parts of the inputs."""
        found = self._reader.run(program.program, _paired(inputs, program.takes))
        return _parts(found, program.gives)

    def run_open(self, program: _Flat, consts: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """The same of a program whose constants are values."""
        found = self._reader.run_open(program.program, consts, _paired(inputs, program.takes))
        return _parts(found, program.gives)


def _doubled(avals: Sequence[Any]) -> list[Any]:
    return [aval for aval in avals for _ in range(1 + _is_complex(aval))]


def _paired(parts: Sequence[Any], avals: Sequence[Any]) -> list[Any]:
    rest = iter(parts)
    return [Complex(next(rest), next(rest)) if _is_complex(a) else next(rest) for a in avals]


def _parts(values: Sequence[Any], avals: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for value, aval in zip(values, avals, strict=True):
        if isinstance(value, Complex) != _is_complex(aval):
            raise Unreadable("a complex number that is not one")
        found += [value.real, value.imag] if isinstance(value, Complex) else [value]
    return found


def _scan(real: _Real, params: ScanParameters, *inputs: Any) -> list[Any]:
    program = _Flat(params.body)
    consts, carries, _ = map(len, map(_doubled, params.parted(program.takes)))
    own = params._replace(consts=consts, carries=carries, body=program)
    flat = _parts(inputs, program.takes)
    found = real.rules["scan"](_Pairs(real.reader), own, *flat)
    return _paired(found, program.gives)


def _associative_scan(real: _Real, params: Any, *inputs: Any) -> list[Any]:
    first, second = params["counts"]
    one, many = _Flat(params["one"]), _Flat(params["many"])
    takes = [*one.takes[:first], *many.takes[:second], *one.gives]
    counts = len(_doubled(one.takes[:first])), len(_doubled(many.takes[:second]))
    own = {"one": one, "many": many, "counts": counts}
    flat = _parts(inputs, takes)
    found = real.rules["associative_scan"](_Pairs(real.reader), {**params, **own}, *flat)
    return _paired(found, one.gives)


TABLE: dict[str, Callable[..., Any]] = {
    "mul": _product("mul"),
    "dot_general": _product("dot_general"),
    "square": _square,
    "div": _div,
    "integer_pow": _integer_pow,
    "exp": _exp,
    "abs": _abs,
    "conj": _conj,
    "real": lambda real, params, x: x.real,
    "imag": lambda real, params, x: x.imag,
    "complex": _complex,
    "convert_element_type": _convert,
    "scan": _scan,
    "associative_scan": _associative_scan,
}
"""What is not done part by part."""
