"""What the search chose, in order: recorded while a proof is found, read back when it is replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernel.rules import Rewriting


def run(kind: str, work: Rewriting, search: Callable[[], None]) -> None:
    search()
