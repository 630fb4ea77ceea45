"""All bounds of a claim: steps that are found for its problem, checked, with the equations proved that they use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...inequalities.check import Shown, check
from ...inequalities.written import FORMAT
from ...interpret.bounds import Request
from ...kernel.theorem import Theorem
from ..lemmas import show
from .finding import find
from .written import equations_to, steps_to


def bounded(request: Request) -> Shown:
    """What is found to show all the bounds that a claim says.

    Raises:
        NotProved: if nothing is found.
        TooHard: if the kernel, or the search, gives up.
    """
    return check(request.problem, find(request), show)


def written(request: Request, shown: Shown, rules: Iterable[Theorem]) -> dict[str, Any]:
    """The certificate, as `inequalities.written` says; `rules` are theorems about what is divided by."""
    return {
        "format": FORMAT,
        **request.data,
        "equations": equations_to(request.declared, request.spoken, shown, rules),
        "steps": steps_to(shown),
        "shown": list(shown.certificate.goals),
    }
