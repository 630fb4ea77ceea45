"""Functions behind `functools.lru_cache` while a program is traced.

A cache would hash sizes that are symbols, and keep arrays of a trace for what runs after it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uncached(modules: Iterable[dict[str, Any]]) -> Iterator[None]:
    """Inside the `with` block such functions, by these modules' names, run each time that they are called."""
    cached = [
        (names, name, value)
        for names in modules
        for name, value in names.items()
        if isinstance(value, functools._lru_cache_wrapper)
    ]
    for names, name, value in cached:
        names[name] = value.__wrapped__
    try:
        yield
    finally:
        for names, name, value in cached:
            names[name] = value
