"""How the ledger names a measurement: what computes it is imported when the row is decided."""

from __future__ import annotations

from collections.abc import Callable

from ..language.measurement import Measurement


def measuring(id: str) -> Callable[[], Measurement]:
    """The measurement of an empirical row of `rows`."""

    def measured() -> Measurement:
        from .rows import measurement

        return measurement(id)

    return measured
