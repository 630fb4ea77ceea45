"""`with proving()`: where claims are read and proofs of them searched for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..interpret.session import session
from .closed_forms import rewritten
from .session import Proving


@contextmanager
def proving() -> Iterator[Proving]:
    """A fresh registry of the kernel, and a session in which one claim is read and proved."""
    new = Proving(simplifier=rewritten)
    with session(new):
        yield new
