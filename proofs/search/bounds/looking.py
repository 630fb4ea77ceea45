"""Signs of entries, looked for among what is known."""

from __future__ import annotations

from typing import Any

from ...inequalities.certificate import Sign
from ...inequalities.signs import Signs
from ...kernel.index import Index
from ...kernel.term import Factor
from .facts import Known


class Looking(Signs):
    """Signs that are looked for among what is known, and noted, so that a step can name them."""

    def __init__(self, known: Known) -> None:
        super().__init__((), known.book.fact, frozenset())
        self.all = known

    def entry(self, f: Factor, inside: Any, rows: frozenset[Index]) -> bool:
        if f in self.named:
            return super().entry(f, inside, rows)
        for use in self.all.uses(f, inside):
            if self.says(use, inside, rows):
                self.named[f] = use
                return True
        return False

    @property
    def signs(self) -> tuple[Sign, ...]:
        return tuple([Sign(f, use) for f, use in self.named.items()])
