"""One of two programs as it is read: by JAX's trace or by PyTorch's, with what is taken for granted of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..doors.aten.programs import Lowered, Program
from ..doors.jaxpr import purity
from ..doors.jaxpr.literals import literals
from ..doors.jaxpr.tracing import at_numbers, format_of
from ..doors.meant import Literal
from ..doors.program import program
from ..doors.record.claims import inputs
from ..doors.refused import Refused
from ..interpret.questions import Unreadable
from ..language.claim import Claim
from ..language.sizes import Sizes, shape
from . import granted

TRACERS = {"jax": "as JAX traces it", "torch": "as torch runs it"}
"""What an error says of where it was raised."""


@dataclass
class Side:
    """A program or its specification.

    Args:
        name: what it is called.
        role: "program" or "specification".
        function: of its framework's arrays.
        framework: "jax" or "torch".
    """

    name: str
    role: str
    function: Callable[..., Any]
    framework: str

    @cached_property
    def torch(self) -> Program | None:
        """What is traced of a function for torch; None for one for JAX."""
        return Program(self.function) if self.framework == "torch" else None

    @property
    def called(self) -> Callable[..., Any]:
        """The program as claims call it."""
        return program(self.torch or self.function, self.framework)

    @property
    def how(self) -> str:
        """How it is run, in words."""
        return TRACERS[self.framework]

    def once(self, claim: Claim, at: Sizes) -> str:
        """All that it does on arrays of such shapes, as text; the same each time for a function of its arguments.

        Raises:
            BaseException: what it raises.
        """
        if self.torch is None:
            return purity.text(at_numbers(self.function, _dims(claim, at)).jaxpr)
        rng = np.random.default_rng(0)
        arrays = [rng.uniform(0.25, 1, shape(text, at)) for text in claim.given.values()]
        self.torch.only_for([one.shape for one in arrays])  # which runs it, once for all
        found: list[str] = []
        with self.torch.drawn_alike():  # the door says what draws
            self.torch.floats(arrays, lambda one: found.append(repr((one.shape, one.tobytes()))))
        return "".join(found)

    def expect_read(self, claim: Claim, at: Sizes) -> None:
        """Say what is not read of a function for torch, with symbols for sizes and at numbers.

        Raises:
            Unreadable: what is in the way.
        """
        if self.torch is not None and self._lowered(claim, at) is None:
            try:
                self.torch.lowered(inputs(claim, at))
            except Refused as error:
                raise Unreadable(str(error)) from error

    def _lowered(self, claim: Claim, at: Sizes) -> Lowered | None:
        """The program as nodes, for all sizes or at these; None for one of JAX, or that is not read."""
        for sizes in (None, at):
            with suppress(Refused):
                return None if self.torch is None else self.torch.lowered(inputs(claim, sizes))
        return None

    def literals(self, claim: Claim, at: Sizes) -> list[Literal]:
        """Its literals at these sizes, on which they may depend."""
        with suppress(
            Exception
        ):  # a specification's mistakes are reported where the claim is decided
            if self.torch is None:
                return literals(at_numbers(self.function, _dims(claim, at)).jaxpr, self.role)
            read = self._lowered(claim, at)
            return [one._replace(side=self.role) for one in read.literals] if read else []
        return []

    def taken(self, claim: Claim, at: Sizes) -> tuple[list[str], list[str]]:
        """What identities at some sizes take for granted, in words, and what all that is read does."""
        if self.torch is None:
            dims = _dims(claim, at)
            note = granted.difference(self.function, dims)
            return granted.domains(self.function, dims), [note] if note else []
        read = self._lowered(claim, at)
        return ([*granted.of_nodes(read.outputs), *read.taken], []) if read else ([], [])

    def format(self, claim: Claim, at: Sizes) -> str:
        """The format of its inputs."""
        if self.torch is None:
            return format_of(self.function).name
        return self.torch.only_for([shape(text, at) for text in claim.given.values()]) or "float64"


def _dims(claim: Claim, at: Sizes) -> list[tuple[int, ...]]:
    return [shape(text, at) for text in claim.given.values()]


def every_literal(sides: Iterable[Side], claim: Claim, at: Sizes) -> list[Literal]:
    """The literals of all."""
    return [one for side in sides for one in side.literals(claim, at)]
