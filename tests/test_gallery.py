"""The gallery: programs of the field are proved equal at all sizes, and no bug that is planted in them is."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gallery import EVERY
from gallery.pair import Pair

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.doors.jaxpr.interpreter import interpreted
from scanproof.proofs.language.sizes import shape, shapes_in

NAMES = [pair.name for pair in EVERY]
BUGS = [(pair, bug) for pair in EVERY for bug in pair.bugs]
SOME = BUGS[::12]
"""Of which numbers show as well that they are bugs; `make gallery` tries every one."""
PROVED = EVERY[::2]
"""Every second pair; `make gallery` proves every one."""
CLOSE = 1e-8
"""Of float64 numbers of about 1, after sums of up to some hundred products."""


def outputs(pair: Pair, left, right):
    """What both programs compute in float64 of random numbers, at sizes that differ."""
    given = shapes_in(pair.shapes)
    letters = sorted(set(re.findall(r"[A-Za-z]\w*", " ".join(given.values()))))
    at = {n: {"T": 6, "N": 6, "n": 3}.get(n, 2 + k % 4) for k, n in enumerate(letters)}
    rng = np.random.default_rng(0)
    with jax.enable_x64(True):
        arrays = [jnp.asarray(rng.uniform(-1.6, 1.6, shape(text, at))) for text in given.values()]
        ran = [interpreted(side, arrays) for side in (left, right)]
        sides = zip((left, right), ran, strict=True)
        return [jax.tree.leaves(jax.jit(f)(*arrays) if r is None else r) for f, r in sides]


def agree(pair: Pair, left, right) -> bool:
    pairs = zip(*outputs(pair, left, right), strict=True)
    return all(np.allclose(a, b, rtol=CLOSE, atol=CLOSE, equal_nan=True) for a, b in pairs)


def test_names_are_of_one_pair_each():
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.long
@pytest.mark.parametrize(("pair", "bug"), BUGS, ids=[f"{p.name}: {b[1]}" for p, b in BUGS])
def test_a_planted_bug_computes_other_numbers(pair: Pair, bug: tuple[str, str]):
    assert not agree(pair, *pair.broken(bug))


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("pair", PROVED, ids=[pair.name for pair in PROVED])
def test_a_pair_is_proved_at_all_sizes(pair: Pair):
    found = prove(pair.left, shapes=pair.shapes, equals=pair.right).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes")


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize(("pair", "bug"), SOME, ids=[f"{p.name}: {b[1]}" for p, b in SOME])
def test_a_planted_bug_is_not_proved(pair: Pair, bug: tuple[str, str]):
    left, right = pair.broken(bug)
    assert prove(left, shapes=pair.shapes, equals=right).result.verdict != "proved"
