"""Programs that a seed draws: none that is another is proved, and none that is the same is refuted."""

from __future__ import annotations

import importlib
import sys

import pytest

from scanproof.proofs.decide.proving import prove

from .drawn import drawn

COUNTS = {"torch": 12, "jax": 9}
EVERY = [(framework, k) for framework, count in COUNTS.items() for k in range(count)]
pytestmark = pytest.mark.short(6)


@pytest.fixture(scope="module", autouse=True)
def modules(tmp_path_factory):
    """The drawn programs, in modules that can be imported."""
    folder = tmp_path_factory.mktemp("drawn")
    for framework, count in COUNTS.items():
        (folder / f"drawn_for_{framework}.py").write_text(drawn(framework, count))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield
    sys.path.remove(str(folder))


def decided(framework: str, one: str, other: str):
    if framework == "torch":
        pytest.importorskip("torch")
    module = f"drawn_for_{framework}"
    return prove(f"{module}:{one}", shapes="x: T d", equals=f"{module}:{other}").result


@pytest.mark.long
@pytest.mark.parametrize(("framework", "k"), EVERY)
def test_a_program_that_is_another_is_not_proved(framework, k):
    result = decided(framework, f"one_{k}", f"wrong_{k}")
    assert result.verdict == "refuted", result.reason


@pytest.mark.long
@pytest.mark.parametrize(("framework", "k"), EVERY)
def test_a_program_that_is_the_same_is_not_refuted(framework, k):
    result = decided(framework, f"one_{k}", f"other_{k}")
    assert result.verdict in ("proved", "unknown"), result.reason
