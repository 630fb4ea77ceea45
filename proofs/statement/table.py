"""One table for each reading: what it does with each kind of node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .errors import IllFormed

Entry = TypeVar("Entry")


class Table(dict[type[Any], Entry]):
    """What a reading does with each kind of node; one without an entry is refused by its name."""

    def __init__(self, reading: str, entries: Mapping[Any, Entry]) -> None:
        super().__init__(entries)
        self.reading = reading

    def __missing__(self, kind: type[Any]) -> Entry:
        raise IllFormed(f"a {kind.__name__} has no {self.reading}")
