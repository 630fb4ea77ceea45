"""What all tests share: one Hypothesis profile, seeded and without deadlines, and the verdicts on the whole ledger."""

from __future__ import annotations

import contextlib
import gc
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile(
    "seeded", deadline=None, derandomize=True, print_blob=True, max_examples=25
)
settings.load_profile("seeded")


def pytest_collection_finish() -> None:
    """What is imported by now is no garbage, and of what JAX keeps little is: searching it took a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


os.environ["CI"] = "true"
"""So that tests remember no verdicts of one another, unless they say so."""


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the verdicts on the whole ledger are kept, for all processes that run tests."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return shared / "cache"


@pytest.fixture(scope="session")
def report(kept: Path) -> dict[str, Any]:
    """What `scanproof check` says of the whole ledger, to be read only: it takes long, and is made once."""
    from scanproof.proofs.decide.cache import Cache
    from scanproof.proofs.decide.ledger import built_in
    from scanproof.proofs.decide.rows import check

    kept.mkdir(exist_ok=True)
    with contextlib.closing(sqlite3.connect(kept / "turn", timeout=3600)) as turn:
        turn.execute("BEGIN EXCLUSIVE")  # the first process checks it, the others wait and remember
        return check(built_in(), cache=Cache(kept))
