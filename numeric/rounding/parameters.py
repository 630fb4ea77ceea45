"""What an equation of a jaxpr is given beside its inputs, read in one way from all releases of JAX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

INLINED = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "eval_jaxpr": "call_jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
}
"""Primitives that run a program of their own as it stands, and the parameter that holds it."""


def inlined(equation: Any) -> Any:
    """The program, open or closed, that an equation runs on its inputs as it stands; None for any other equation.

    That of `run_state` reads and writes memory: the program is from what is there before to what is there afterwards.
    """
    name, given = equation.primitive.name, equation.params
    if name == "run_state" and all(given["is_initialized"]):
        from jax._src.state.discharge import discharge_state
        from jax.extend.core import ClosedJaxpr

        program = given["jaxpr"]
        return discharge_state(program if hasattr(program, "consts") else ClosedJaxpr(program, ()))
    return given[INLINED[name]] if name in INLINED else None


class ScanParameters(NamedTuple):
    """What a `scan` runs; its inputs are constants, first carries and sequences, its outputs last carries and rows."""

    consts: int
    """How many inputs are the same in every turn."""
    carries: int
    """How many inputs and outputs go from turn to turn."""
    body: Any
    """The turn as a closed jaxpr: (constants, carries, rows) -> (carries, rows)."""
    length: Any
    """The number of turns."""
    reverse: bool
    """Whether the last row is read first."""

    def parted(self, inputs: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """The constants, the first carries and the sequences."""
        first = self.consts + self.carries
        return list(inputs[: self.consts]), list(inputs[self.consts : first]), list(inputs[first:])


def parameters(equation: Any) -> Any:
    """What the rule of an equation's primitive takes: for a `scan` its `ScanParameters`, else what JAX calls them."""
    given = equation.params
    return _of_scan(given) if equation.primitive.name == "scan" else given


def _of_scan(given: Mapping[str, Any]) -> ScanParameters:
    # From JAX 0.11 on: trees of inputs and outputs, (consts, carries, sequences) for the inputs
    if "ft_in" in given:
        consts, carries, _ = map(len, given["ft_in"].unpack())
    else:
        consts, carries = given["num_consts"], given["num_carry"]
    return ScanParameters(consts, carries, given["jaxpr"], given["length"], bool(given["reverse"]))
