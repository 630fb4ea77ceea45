"""Errors that a user's program raises while `prove` runs it, in a line: at which sizes, what, and where."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from scanproof.constructs.errors import UsageError

from ..check.kernel_errors import refusal
from ..doors.jaxpr.asked import folders
from ..doors.jaxpr.tracing import NoArrays
from ..doors.refused import Refused
from ..interpret.questions import Unreadable, aside, raised_at
from ..kernel.errors import KernelError
from ..language.claim import Claim
from ..language.sizes import by_name
from .reading import Side

Errors = (Exception, SystemExit)
"""What a program may raise: one that leaves Python does not take `prove` along."""


def said(error: BaseException) -> str:
    """The error's kind, its first line, and the user's line that it came from."""
    if isinstance(error, KernelError):
        return refusal(error)
    first = str(error).strip().split("\n", 1)[0]
    if isinstance(error, NoArrays):
        return first
    return f"{type(error).__name__}{f': {first}' if first else ''}{raised_at(error, _of_jax())}"


def _of_jax() -> tuple[str, ...]:
    """The folders of JAX's code, where it is imported."""
    return folders() if "jax" in sys.modules else ()


def is_users(error: BaseException) -> bool:
    """Whether it came from a line of the user's, from what such a line called, or from what a program returns."""
    return isinstance(error, NoArrays) or bool(raised_at(error, _of_jax()))


def of_sides(sides: Sequence[Side], claim: Claim, error: BaseException) -> UsageError:
    """The error that says which program does not run, and at which of the sizes that are tried."""
    for side in sides:
        for sizes in claim.every_size:
            try:
                with aside():
                    side.once(claim, sizes)
            except (Refused, Unreadable, UsageError):
                continue
            except Errors as found:
                return UsageError(
                    f"prove {side.name}: at {by_name(sizes)} it does not run: {said(found)}. If it is not meant for "
                    "such sizes, say so in --shapes (such as 'x: T+1 d') or by --sizes."
                )
    names = " = ".join(side.name for side in sides)
    return UsageError(f"prove {names}: it does not run: {said(error)}.")
