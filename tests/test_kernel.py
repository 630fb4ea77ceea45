"""Claims at all sizes: what the kernel proves, that nothing false is among it, that what is broken is not proved."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from claims import claim, inner

from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.ranges import build, each, product
from scanproof.constructs.layers import gril
from scanproof.constructs.learners import losses
from scanproof.constructs.tokens import interleaved, windows
from scanproof.proofs import kernel
from scanproof.proofs.check.all_sizes import Proof
from scanproof.proofs.check.axioms import AXIOMS, discharged
from scanproof.proofs.check.instances.evaluate import in_symbols
from scanproof.proofs.check.instances.stated import stated
from scanproof.proofs.decide import workers
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES, FIXED, FLINT, holds
from scanproof.proofs.exact.mutation import OnLeaf
from scanproof.proofs.interpret.array import KernelArray, symbol
from scanproof.proofs.interpret.evaluate import Evaluator
from scanproof.proofs.interpret.namespace import Namespace
from scanproof.proofs.interpret.questions import Unreadable
from scanproof.proofs.interpret.size import Size
from scanproof.proofs.kernel.index import Index, size
from scanproof.proofs.language.statements import Equal, equal
from scanproof.proofs.search.all_sizes import prove
from scanproof.proofs.search.proving import proving

CLAIMS = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}
PROVED = (Path(__file__).parent / "all_sizes.txt").read_text().split()
"""What the kernel proves today; a line more is progress, a line less is not."""


def why_not(claim):
    found = prove(claim)
    return None if isinstance(found, Proof) else found


def said(report):
    return {s["id"]: s for row in report["claims"] for s in (row["as_stated"], *row["amended"])}


@pytest.fixture(scope="module")
def tried(report):
    """Why the kernel, asked alone, does not prove every fifth claim that is false; None if it does."""
    told = said(report)
    rest = [
        c for id, c in CLAIMS.items() if told[id]["verdict"] == "refuted" and c.body is not None
    ]
    rest = rest[::5]
    found = {}
    for a in workers.run([partial(why_not, one) for one in rest]):
        assert not a.missing, rest[a.index].id
        found[rest[a.index].id] = a.value
    return found


def test_what_is_proved_for_all_sizes_stays_proved(report):
    told = said(report)
    by_kernel = {
        id for id, s in told.items() if any(e["engine"] == "kernel" for e in s["evidence"])
    }
    assert [id for id in CLAIMS if id in by_kernel] == PROVED
    proved = {id for id, s in told.items() if s["verdict"] == "proved"}
    assert {id for id in proved if told[id]["reason"] is None} == by_kernel & proved


@pytest.mark.long
def test_the_kernel_proves_nothing_that_is_refuted(tried):
    assert len(tried) > 8
    assert [id for id, why in tried.items() if why is None] == []
    assert all(len(why) > 10 for why in tried.values())


CHANGES = (lambda a: -a, lambda a: 2 * a, lambda a: 1 + a)
SLOW = (
    "ssd.thm5",
    "delta-net.one-pass",
    "gril.embed",
    "gril.prop4.3",
    "gril.propA",
    "gril.a3",
    "gril.a5",
    "gril.reg",
    "gril.w3",
)
"""Claims that take longer, or that flint cannot read: the other mutants are enough here (see `scanproof attack`)."""


@pytest.mark.long
def test_a_changed_parameter_breaks_the_proof_unless_the_claim_still_holds():
    """A mutant, drawn once and for all, of every construction that is proved quickly."""
    rng = random.Random(0)
    drawn = []
    for id in sorted(id for id in PROVED if not id.startswith(SLOW)):
        claim = CLAIMS[id]
        small = {name: sorted(values)[:2][-1] for name, values in claim.ranges.items()}
        if claim.parameters is None or not _leaves(claim, small):
            continue
        path, change = rng.choice(_leaves(claim, small)), rng.choice(CHANGES)
        drawn.append(partial(still_proved, claim, small, path, change))
    answers = list(workers.run(drawn))
    assert [drawn[a.index].args[0].id for a in answers if a.missing] == []
    kept = sum(a.value for a in answers)
    assert len(drawn) - kept > 3 * kept


def still_proved(claim, small, path, change):
    mutate = OnLeaf(path, change)
    if not isinstance(prove(claim, mutate), Proof):
        return False
    found = in_symbols(FLINT, claim, small, mutate)
    assert all(holds(s) for s in found if isinstance(s, Equal)), (claim.id, path)
    return True


def _leaves(claim, sizes):
    found = stated(claim, sizes)
    return [leaf.path for leaf in found.statement.parameters] if found else []


ONE_STEP = "gril.prop4.1-construction"


@pytest.mark.long
def test_the_kernel_adds_all_sizes_to_a_verdict():
    result = decide(CLAIMS[ONE_STEP], ENGINES["all"])
    assert (result.verdict, result.scope) == ("proved", "all-sizes")
    assert result.evidence[1] == {
        "method": "induction",
        "scope": "all-sizes",
        "sizes": None,
        "engine": "kernel",
        "axioms": [],
    }
    assert [e["engine"] for e in result.evidence] == ["flint", "kernel", "modular"]


@pytest.mark.long
def test_what_the_kernel_cannot_do_stays_proved_at_fixed_sizes_by_two_engines():
    claim = CLAIMS["gril.params-gated+dense"]  # f · f numbers in a row
    with_kernel, without = decide(claim, ENGINES["all"]), decide(claim, FIXED)
    assert (with_kernel.verdict, with_kernel.scope) == ("proved", "fixed-size")
    assert with_kernel.evidence == without.evidence
    assert "product of sizes or positions, f·f" in str(with_kernel.reason)


def test_a_gradient_through_exp_and_log_rests_on_their_derivatives_which_sympy_shows():
    proof = prove(CLAIMS["gril.eq11"])
    assert isinstance(proof, Proof)
    axioms = proof.entries()[0]["axioms"]
    assert axioms == ["d exp(z) = exp(z) dz", "d log(z) = dz / z"]
    assert set(axioms) <= set(AXIOMS) and all(map(discharged, AXIOMS))
    assert not discharged("z = 0")


@pytest.mark.long
def test_the_kernel_alone_answers_proved_or_unknown():
    assert decide(CLAIMS[ONE_STEP], ENGINES["kernel"]).scope == "all-sizes"
    false = decide(CLAIMS["gd-ssm.prop1-construction"], ENGINES["kernel"])
    assert (false.verdict, false.scope) == ("unknown", None)
    assert "no proof was found" in str(false.reason)


def test_a_claim_without_sizes_is_the_kernel_s_where_it_is_asked_alone():
    one = CLAIMS["gril.ablation-doubles"]
    assert decide(one, ENGINES["kernel"]).verdict == "proved"
    both = decide(one, ENGINES["all"])
    assert (both.scope, both.reason) == ("fixed-size", "it speaks of no sizes")


@pytest.mark.long
def test_a_refuted_claim_is_not_shown_to_the_kernel(monkeypatch):
    from scanproof.proofs.search import all_sizes

    monkeypatch.setattr(all_sizes, "prove", lambda claim: pytest.fail("asked"))
    assert decide(CLAIMS["gd-ssm.prop1-construction"], ENGINES["all"]).verdict == "refuted"


@pytest.mark.long
def test_a_layer_defined_otherwise_breaks_the_proof(monkeypatch):
    assert isinstance(prove(CLAIMS[ONE_STEP]), Proof)
    own = gril.cross_product
    monkeypatch.setattr(gril, "cross_product", lambda C, Q: own(C, Q.T))
    again = replace(CLAIMS[ONE_STEP])  # a statement is recorded once of each claim
    assert not isinstance(prove(again), Proof)
    result = decide(again, ENGINES["all"])
    assert result.verdict == "refuted" and result.counterexample is not None


def test_a_loss_defined_otherwise_breaks_the_proof(monkeypatch):
    own = losses.squared_error
    monkeypatch.setattr(losses, "squared_error", lambda *args: own(*args) * 2)
    again = replace(CLAIMS[ONE_STEP])  # a statement is recorded once of each claim
    assert not isinstance(prove(again), Proof)


@pytest.mark.long
def test_a_claim_that_fails_at_large_sizes_only_is_not_proved():
    """True at n ≤ 3, where the fixed sizes look; false at 4."""

    def body(u, v, xp, n):
        wrong = build(xp, n, lambda i: (xp.asarray(i) * (i - 1) * (i - 2)) * u[i])
        return equal(inner(u, v) + inner(wrong, v), inner(u, v))

    assert not isinstance(prove(claim(body, {"u": "n", "v": "n"})), Proof)
    result = decide(claim(body, {"u": "n", "v": "n"}), ENGINES["all"])
    assert result.verdict == "refuted"
    assert result.counterexample is not None and result.counterexample.sizes == {"n": 4}


def test_a_loop_that_may_have_no_turn_proves_nothing():
    """Where n = 1 no t has 1 ≤ t < n, and a statement about no t at all would be no statement."""

    def body(u, xp, n):
        for t in each(1, n - 1):
            yield equal(inner(u[:t], u[:t]), inner(u[:t], u[:t]))

    assert not isinstance(prove(claim(body, {"u": "n"})), Proof)


def test_a_branch_on_a_size_is_not_read():
    def body(u, v, n):
        return equal(inner(u, v), inner(v, u) if n < 4 else 0)

    assert "depends on the sizes" in str(prove(claim(body, {"u": "n", "v": "n"})))


def test_a_loop_that_carries_something_is_seen_when_the_reading_is_compared():
    def body(u, xp, n):
        before = xp.zeros(())
        for t in each(0, n - 1):
            yield equal(inner(u[: t + 1], u[: t + 1]) * 0 + before, 0 * before + before)
            before = before + u[t]

    found = prove(claim(body, {"u": "n"}))
    assert "one leaves something to the next" in str(found)


def test_the_kernel_raises_and_does_not_assert():
    """Under python -O an assertion would be no check."""
    for path in Path(kernel.__file__).parent.glob("*.py"):
        assert "assert " not in path.read_text(encoding="utf-8"), path


# Kernel arrays mean what NumPy's mean.


def arrays():
    """Sizes N = 3 and f = 2, arrays of these lengths, and the sizes' values."""
    N, F = size("N", 1), size("f", 1)
    at = {N.terms[0][0]: 3, F.terms[0][0]: 2}
    dims = {"x": (N + 1, F), "y": (N, F), "A": (F, F), "v": (F,), "u": (N + 1,), "C": (N, F, F)}
    return Size(N), Size(F), dims, at


SHAPES = {"x": (4, 2), "y": (3, 2), "A": (2, 2), "v": (2,), "u": (4,), "C": (3, 2, 2)}
NUMBERS = {
    name: np.array(
        [Fraction(random.Random(f"{name}{k}").randint(-9, 9)) for k in range(int(np.prod(shape)))],
        dtype=object,
    ).reshape(shape)
    for name, shape in SHAPES.items()
}

EXPRESSIONS = {
    "product": lambda a, xp, n, f: a["x"] @ a["A"],
    "product with a vector": lambda a, xp, n, f: a["x"] @ a["v"],
    "vector with a product": lambda a, xp, n, f: a["u"] @ a["x"],
    "inner": lambda a, xp, n, f: a["v"] @ a["v"],
    "batch": lambda a, xp, n, f: a["C"] @ a["A"],
    "batch with a vector": lambda a, xp, n, f: a["C"] @ a["v"],
    "transposes": lambda a, xp, n, f: a["x"].T @ a["x"] - a["A"].T,
    "mT": lambda a, xp, n, f: a["C"].mT,
    "broadcast": lambda a, xp, n, f: a["x"] * a["u"][:, None] + a["v"],
    "outer": lambda a, xp, n, f: outer(a["u"], a["v"]),
    "numbers": lambda a, xp, n, f: 2 * a["v"] - 1 + a["v"] ** 3 / 4,
    "number of a size": lambda a, xp, n, f: a["x"] * n / (n + 1),
    "slices": lambda a, xp, n, f: a["x"][1:] - a["x"][:-1] + a["x"][:n],
    "last row": lambda a, xp, n, f: a["x"][-1] + a["x"][n] + a["y"][n - 1],
    "new axes": lambda a, xp, n, f: a["v"][None, :, None] + a["A"][..., None, :],
    "column": lambda a, xp, n, f: a["x"][:, f - 1] + a["x"][..., 0],
    "sums": lambda a, xp, n, f: a["C"].sum(axis=1).sum(axis=0) + a["C"].sum() + a["x"].sum(axis=0),
    "eye": lambda a, xp, n, f: xp.eye(f) @ a["A"] + xp.eye(f)[0],
    "tril": lambda a, xp, n, f: xp.tril(a["A"]),
    "concat": lambda a, xp, n, f: xp.concat([a["x"], a["y"], xp.ones((2, f))], axis=0),
    "concat of columns": lambda a, xp, n, f: xp.concat([a["y"], a["x"][1:]], axis=1),
    "stack": lambda a, xp, n, f: xp.stack([a["v"], a["v"] * 2, a["A"][0]], axis=1),
    "build": lambda a, xp, n, f: build(xp, n, lambda i: a["x"][i + 1] * (i + 2)),
    "ragged build": lambda a, xp, n, f: build(xp, n + 1, lambda i: a["u"][: i + 1].sum()),
    "product of a slice": lambda a, xp, n, f: build(xp, n, lambda i: product(a["u"][i + 1 :])),
    "interleaved": lambda a, xp, n, f: interleaved(a["x"], a["y"]),
    "windows": lambda a, xp, n, f: windows(interleaved(a["x"], a["y"]), 3, 2).window,
    "all windows": lambda a, xp, n, f: windows(interleaved(a["x"], a["y"]), 2, 1).window,
    "steps": lambda a, xp, n, f: windows(interleaved(a["x"], a["y"]), 3, 2).t,
    "every other": lambda a, xp, n, f: interleaved(a["x"], a["y"])[1::2] - a["y"],
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_kernel_arrays_mean_what_recorded_arrays_come_to_in_fractions(name):
    from scanproof.proofs.doors.record.exactly import exactly
    from scanproof.proofs.exact.polynomials import RationalField

    def computed(xp, *arrays):
        return EXPRESSIONS[name](dict(zip(NUMBERS, arrays, strict=True)), xp, 3, 2)

    expected = exactly(RationalField(), computed, *NUMBERS.values())
    with proving() as current:
        n, f, dims, sizes = arrays()
        symbols = {k: symbol(k, d) for k, d in dims.items()}
        found = EXPRESSIONS[name](symbols, Namespace(), n, f)
        assert isinstance(found, KernelArray)
        shape = tuple(e.const + sum(c * sizes[w] for w, c in e.terms) for e in found.dims)
        assert shape == expected.shape
        evaluator = Evaluator(lambda k, i: NUMBERS[k][i], current)
        for place in np.ndindex(shape):
            at = {**sizes, **{e.terms[0][0]: i for e, i in zip(found.at, place, strict=True)}}
            assert evaluator.value(found.term, at) == expected[place]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda a, n, f: a["x"][n + 1],
        lambda a, n, f: a["x"][f],
        lambda a, n, f: a["x"] + a["y"],
        lambda a, n, f: a["x"] @ a["u"],
        lambda a, n, f: a["x"][:f],
        lambda a, n, f: a["u"] * n * n if n == 2 else None,
        lambda a, n, f: range(n),
        lambda a, n, f: n * f,
        lambda a, n, f: {n, f},
        lambda a, n, f: build(Namespace(), n, lambda i: a["u"][:i]),
        lambda a, n, f: 1 if n > f else 2,
    ],
)
def test_what_depends_on_the_sizes_is_not_read(wrong):
    with proving():
        n, f, dims, _ = arrays()
        with pytest.raises((Unreadable, TypeError)):
            wrong({k: symbol(k, d) for k, d in dims.items()}, n, f)


def test_a_size_is_compared_where_that_is_decided():
    n, _, _, _ = arrays()
    assert n >= 1 and n + 1 > n and n != 0 and n + 1 != n and n == n + 0
    assert (2 * n + 4) // 2 == n + 2 and Size(Index(0)) == 0
