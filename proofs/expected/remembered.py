"""Values that are computed once, with the definitions that ran for them noted each time they are asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from scanproof.constructs.arrays.definition import note, recording

F = TypeVar("F", bound=Callable[..., Any])


def remembered(function: F) -> F:
    """Like `functools.cache`; evidence names the same definitions whoever asked first."""

    @functools.cache
    def found(*args: Any) -> tuple[Any, frozenset[Any]]:
        with recording() as ran:
            value = function(*args)
        return value, frozenset(ran)

    @functools.wraps(function)
    def again(*args: Any) -> Any:
        value, ran = found(*args)
        for one in ran:
            note(one)
        return value

    return again  # type: ignore[return-value]
