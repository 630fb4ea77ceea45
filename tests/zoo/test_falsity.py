"""No member of the zoo is true: each is run with plain numbers at the size that it names."""

from __future__ import annotations

import numpy as np
import pytest

from scanproof.proofs.check.instances.hypotheses import meets_hypotheses
from scanproof.proofs.check.instances.points import candidates
from scanproof.proofs.language.sizes import shape
from scanproof.proofs.language.statements import AtMost

from .case import ZOO, Program, Statement
from .members import FAMILIES  # noqa: F401  imports every file of members

pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"  # a member that asks in a thread
)


@pytest.mark.short(6)
@pytest.mark.parametrize("one", [m for m in ZOO if isinstance(m, Program)], ids=str)
def test_a_program_differs_from_its_specification_where_it_says(one):
    import jax

    rng = np.random.default_rng(0)
    shapes = [part.partition(":")[2] for part in one.shapes.split(",")]
    with jax.enable_x64(True):
        arrays = [jax.numpy.asarray(rng.uniform(0.5, 2, shape(s, one.fails))) for s in shapes]
        found, wanted = jax.tree.leaves(one.function(*arrays)), jax.tree.leaves(one.equals(*arrays))
    assert len(found) == len(wanted)
    assert any(
        a.shape != b.shape or not np.allclose(a, b, rtol=1e-3)
        for a, b in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize("one", [m for m in ZOO if isinstance(m, Statement) and m.fails], ids=str)
def test_a_claim_is_false_where_it_says(one):
    for point in candidates(one.claim, one.fails):
        if meets_hypotheses(one.claim, one.fails, point) and _is_false(one, point):
            return
    pytest.fail(f"no inputs at {one.fails} show that it is false")


def _is_false(one, point):
    """Whether the claim's body says something false of NumPy's floats."""
    inputs = {name: array.astype(float) for name, array in point.items()}
    values = {**inputs, **one.fails, "xp": np}
    with np.errstate(all="ignore"):
        said = one.claim.statements(values, one.claim.construct(values))
        gaps = [np.asarray(s.left, float) - np.asarray(s.right, float) for s in said]
    return any(
        np.any((gap if isinstance(s, AtMost) else np.abs(gap)) > 1e-9)
        for s, gap in zip(said, gaps, strict=True)
    )
