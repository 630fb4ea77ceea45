"""What this door refuses, and which versions of PyTorch it knows."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

from ...statement.whole import Whole
from ..refused import Depends, Refused

SUPPORTED = ("2.13", "2.14")
"""Versions whose tracer was tested; it is no stable interface."""


class Decided(Refused):
    """Something was asked of sizes that holds at some of them only: these have to be told apart."""

    def __init__(
        self,
        message: str,
        condition: str,
        number: Any = None,
        relation: str = "",
        by: Any = None,
    ) -> None:
        told_apart = isinstance(number, Whole) and relation != "= 0"
        depends = Depends(number, by) if told_apart else None
        super().__init__(message, depends, placed=True)
        self.condition = condition
        """What the trace took for true."""
        self.loops: dict[Any, Any] = {}
        """Loops by the positions that the numbers of their turns are."""
        self.number, self.relation = number, relation
        """A whole number of sizes, and "≥ 0", "= 0" or "≠ 0", where the condition is one of such.

        `by` is what the number may be a multiple of, where that is asked. What is 0 at the example sizes, by which no
        two lengths are one, is a number that was asked for: no cases help there.
        """


class FirstTurn(Refused):
    """The first turn of a loop over a size does something else than the others; it may be run by itself."""

    def __init__(self, message: str, loop: Any) -> None:
        super().__init__(message)
        self.loop = loop


def torch() -> Any:
    """PyTorch, imported now.

    Raises:
        Refused: if it is not installed, or of a version that was not tested.
    """
    if importlib.util.find_spec("torch") is None:
        raise Refused("PyTorch is not installed; install scanproof[torch]")
    found = importlib.import_module("torch")
    version = ".".join(found.__version__.split(".")[:2])
    if version not in SUPPORTED:
        known = " and ".join(SUPPORTED)
        raise Refused(f"PyTorch {version} is installed; functions are read with {known}")
    return found


def beside() -> tuple[str, ...]:
    """Folders whose code is not the user's."""
    return (os.path.dirname(torch().__file__) + os.sep,)
