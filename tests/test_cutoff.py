"""All sizes from finitely many: what the cutoff method decides, and that no false claim gets through."""

from __future__ import annotations

import itertools
import random
from functools import partial
from pathlib import Path

import pytest

from scanproof.constructs.definition import definition
from scanproof.constructs.iteration import iterate
from scanproof.constructs.ranges import build, each
from scanproof.constructs.scan import leaves, scan
from scanproof.proofs import workers
from scanproof.proofs.evidence.cutoff import Cutoff, bounds, cutoff
from scanproof.proofs.evidence.engines import FLINT, holds
from scanproof.proofs.evidence.mutation import on_leaf
from scanproof.proofs.language.claim import Source
from scanproof.proofs.language.statements import Equal, differs, equal
from scanproof.proofs.ledger import built_in
from scanproof.proofs.reading.affine import NotUniform

CLAIMS = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}
DECIDED = (Path(__file__).parent / "cutoff.txt").read_text().split()
"""What the method decides today; a line more is progress, a line less is not."""


STACKS = ("ssd.thm5.1+", "open.ssd-", "open.eq5", "open.value")
"""Layers one above the other: a polynomial of degree 9 or 27 in its tokens, at sizes beyond their own."""


def claim_of(body, given, **fields):
    source = Source("test", title="claims of known truth")
    return source.claim("test.row", says="…", given=given, **fields)(body).claim


def holds_at(claim, sizes, mutate=None):
    found = FLINT.statements(claim, sizes, mutate)
    return all(isinstance(s, Equal) and holds(s) for s in found)


def first_failure(claim, name, upto):
    (least, *_) = claim.ranges[name]
    return next((n for n in range(least, upto + 1) if not holds_at(claim, {name: n})), None)


@pytest.fixture(scope="module")
def found():
    claims = [claim for claim in CLAIMS.values() if claim.body is not None]
    answers = {a.index: a for a in workers.run([partial(cutoff, claim) for claim in claims])}
    assert [claims[a.index].id for a in answers.values() if a.ended or a.timed_out] == []
    return {claim.id: answers[n].value for n, claim in enumerate(claims)}


def test_what_is_decided_by_a_cutoff_stays_decided(found):
    assert [id for id, result in found.items() if isinstance(result, Cutoff)] == DECIDED


def test_what_is_decided_holds_beyond_the_cutoff_too(found):
    for id in (id for id in DECIDED if not id.startswith(STACKS)):
        largest = found[id].bounds
        for name in largest:
            assert holds_at(CLAIMS[id], {**largest, name: largest[name] + 2}), id


def test_every_reason_is_a_sentence(found):
    assert all(len(r) > 10 for r in found.values() if not isinstance(r, Cutoff))


def test_evidence_says_which_sizes_were_checked(found):
    result = found["gril.prop4.1-construction"]
    entry = result.evidence()
    assert (entry["method"], entry["scope"], entry["engine"]) == ("cutoff", "all-sizes", "flint")
    assert entry["sizes"] == [{"N": n, "f": 2} for n in range(1, result.bounds["N"] + 1)]
    assert entry["axioms"] == []


# False claims that hold where sizes are small.


def fails_first_at(expected, body, given, **fields):
    """The claim is false from a known size on, and the bound reaches it."""
    claim = claim_of(body, given, **fields)
    (name,) = claim.ranges
    assert first_failure(claim, name, expected) == expected
    try:
        end = bounds(claim)[name]
    except NotUniform:
        pytest.fail("a cutoff was to be found here")
    assert expected <= end.last
    assert not isinstance(cutoff(claim), Cutoff)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_a_factor_that_vanishes_at_small_sizes(m):
    """(n − 1) … (n − m) Σ u is 0 for n ≤ m; its degree in n is m."""

    def body(u, xp, n):
        wrong = u.sum()
        for k in range(1, m + 1):
            wrong = wrong * (xp.asarray(n) - k)
        return equal(wrong, 0 * wrong)

    fails_first_at(m + 1, body, {"u": "n"})


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_a_factor_that_vanishes_at_the_first_positions(m):
    def body(u, v, xp, n):
        def entry(i):
            result = u[i] * v[i]
            for k in range(m):
                result = result * (xp.asarray(i) - k)
            return result

        wrong = build(xp, n, entry).sum()
        return equal(wrong, 0 * wrong)

    fails_first_at(m + 1, body, {"u": "n", "v": "n"})


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_a_power_of_a_nilpotent_matrix(m):
    """The m-th power of the matrix with ones below the diagonal is 0 for n ≤ m; it touches one position only."""

    def body(u, xp, n):
        wrong = u
        for _ in range(m):
            longer = xp.concat([xp.zeros((1,)), wrong], axis=0)
            wrong = build(xp, n, lambda i, a=longer: a[i])
        return equal(wrong, 0 * wrong)

    fails_first_at(m + 1, body, {"u": "n"})


@pytest.mark.parametrize("m", [2, 3, 4])
def test_products_of_entries_in_order(m):
    """Σ_{i₁ < … < i_m} u_{i₁} … u_{i_m} is 0 for n < m."""

    def body(u, xp, n):
        below = xp.tril(xp.ones((n, n))) - xp.eye(n)
        wrong = u
        for _ in range(m - 1):
            wrong = u * (below @ wrong)
        return equal(wrong.sum(), 0 * wrong.sum())

    fails_first_at(m, body, {"u": "n"})


@pytest.mark.parametrize("m", [2, 3, 4])
def test_how_many_positions_there_are_in_order(m):
    """The same with ones: a number, of which no position is touched."""

    def body(u, xp, n):
        below = xp.tril(xp.ones((n, n))) - xp.eye(n)
        wrong = xp.ones((n,))
        for _ in range(m - 1):
            wrong = below @ wrong
        return equal(wrong.sum() * u, 0 * u)

    fails_first_at(m, body, {"u": ""}, sizes={"n": (1, 2)})


@pytest.mark.parametrize("m", [2, 3, 4])
def test_first_entries_that_lie_apart(m):
    """u_0 and u_{n−1} are the same at n = 1; a window of m entries knows n ≤ m from more."""

    def body(u, xp, n):
        padded = xp.concat([u, xp.zeros((m,))], axis=0)
        window = padded[:m].sum()
        return equal(window, u.sum())

    fails_first_at(m + 1, body, {"u": "n"})


def test_matrices_commute_at_size_one_only():
    fails_first_at(2, lambda A, B: equal(A @ B, B @ A), {"A": "f f", "B": "f f"})


def test_the_standard_identity_of_two_by_two_matrices_is_no_identity():
    """Amitsur and Levitzki: Σ ± A_σ1 A_σ2 A_σ3 A_σ4 = 0 holds for 2 × 2 matrices and not for 3 × 3 ones."""

    def body(A, B, C, D, xp, f):
        total = xp.zeros((f, f))
        for order in itertools.permutations(range(4)):
            sign = (-1) ** sum(order[i] > order[j] for i in range(4) for j in range(i, 4))
            p, q, r, s = ((A, B, C, D)[k] for k in order)
            total = total + sign * (p @ q @ r @ s)
        return equal(total[0, 0], 0 * total[0, 0])

    claim = claim_of(body, dict.fromkeys("ABCD", "f f"))
    assert holds_at(claim, {"f": 2}) and not holds_at(claim, {"f": 3})
    assert not isinstance(cutoff(claim), Cutoff)


def test_two_sizes_are_bounded_each():
    """False only where n ≥ 3 and d ≥ 3."""

    def body(x, xp, n, d):
        wrong = (xp.asarray(n) - 1) * (xp.asarray(n) - 2) * (xp.asarray(d) - 1)
        return equal(x * wrong * (xp.asarray(d) - 2), 0 * x)

    assert not isinstance(cutoff(claim_of(body, {"x": "n d"})), Cutoff)


# What a footprint must refuse.


def add(parameters, state, token):
    return state + token, state


REFUSED = {
    "a gate": lambda u, xp, n: equal(
        scan(lambda p, s, t: (s * t + t, s), None, xp.zeros(()), u).final_state, u.sum()
    ),
    "twice the state": lambda u, xp, n: equal(
        scan(lambda p, s, t: (s + s + t, s), None, xp.zeros(()), u).final_state, u.sum()
    ),
    "minus the state": lambda u, xp, n: equal(
        scan(lambda p, s, t: (t - s, s), None, xp.zeros(()), u).final_state, u.sum()
    ),
    "a branch on a size": lambda u, xp, n: equal(u, u if n < 4 else 2 * u),
    "a loop in Python": lambda u, xp, n: equal(u.sum(), sum(u[i] for i in range(n))),
    "a power": lambda u, xp, n: equal(u[0] ** n, u[0] ** n),
    "as many steps as a size": lambda u, xp, n: equal(iterate(lambda v: v * u, u, n), u),
    "a quotient": lambda u, xp, n: equal(u / u.sum(), u / u.sum()),
    "a sum of reciprocals": lambda u, xp, n: equal(
        build(xp, n, lambda i: u[0] / (i + 1)).sum(), u[0] * n
    ),
    "what may be 0": lambda u, xp, n: equal(u / (n - 4), u / (n - 4)),
    "a difference": lambda u, xp, n: differs(u, 2 * u),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_footprint_is_refused(name):
    with pytest.raises(NotUniform):
        bounds(claim_of(REFUSED[name], {"u": "n"}))


def test_a_loop_that_carries_something_is_refused():
    def body(u, xp, n):
        before = xp.zeros(())
        for t in each(0, n - 1):
            yield equal(u[: t + 1].sum() - u[t] - before, 0 * before)
            before = u[t]

    claim = claim_of(body, {"u": "n"})
    assert first_failure(claim, "n", 3) == 3
    with pytest.raises(NotUniform, match="carries"):
        bounds(claim)


def test_a_loop_whose_statements_are_collected_is_refused():
    def body(u, xp, n):
        return [equal(u[: t + 1].sum(), u[t] + u[:t].sum()) for t in each(0, n - 1)]

    with pytest.raises(NotUniform, match="collected"):
        bounds(claim_of(body, {"u": "n"}))


def test_a_loop_that_counts_its_turns_is_refused():
    """u_t · k = u_t · min(k, 9) at the k-th turn: false from n = 10 on only, and no footprint shows that."""

    def body(u, n):
        turns = []
        for t in each(0, n - 1):
            turns.append(t)
            yield equal(u[t] * len(turns), u[t] * min(len(turns), 9))

    assert "carry" in str(cutoff(claim_of(body, {"u": "n"})))


# Attacks at random.


def test_a_changed_parameter_is_seen_or_changes_nothing():
    """Mutants of every construction that is decided: what holds up to its bounds holds beyond them."""
    rng = random.Random(0)
    broken = kept = 0
    for id in (id for id in DECIDED if not id.startswith(STACKS)):
        claim = CLAIMS[id]
        if claim.parameters is None:
            continue
        small = {name: min(values) for name, values in claim.ranges.items()}
        counted = []
        FLINT.statements(claim, small, lambda p, c=counted: c.extend(leaves(p)) or p)
        if not counted:
            continue
        for change in (lambda a: a * -1, lambda a: a * 2, lambda a: a + 1):
            mutate = on_leaf(rng.randrange(len(counted)), change)
            try:
                ends = bounds(claim, mutate)
            except (NotUniform, ZeroDivisionError):
                broken += 1
                continue
            every = itertools.product(*(range(b.first, b.last + 1) for b in ends.values()))
            if all(holds_at(claim, dict(zip(ends, s, strict=True)), mutate) for s in every):
                largest = {name: b.last + 2 for name, b in ends.items()}
                assert holds_at(claim, largest, mutate), claim.id
                kept += 1
            else:
                broken += 1
    assert broken > kept


OPERATORS = {
    "down": lambda v, u, xp, n: xp.concat([xp.zeros((1,)), v[:-1]], axis=0),
    "up": lambda v, u, xp, n: xp.concat([v[1:], xp.zeros((1,))], axis=0),
    "sums": lambda v, u, xp, n: xp.tril(xp.ones((n, n))) @ v,
    "sums before": lambda v, u, xp, n: (xp.tril(xp.ones((n, n))) - xp.eye(n)) @ v,
    "sums from here": lambda v, u, xp, n: xp.tril(xp.ones((n, n))).T @ v,
    "scan": lambda v, u, xp, n: scan(add, None, xp.zeros(()), v).outputs,
    "slices": lambda v, u, xp, n: build(xp, n, lambda i: v[: i + 1].sum()),
    "windows": lambda v, u, xp, n: build(
        xp, n, lambda i: xp.concat([xp.zeros((2,)), v], axis=0)[i : i + 3].sum()
    ),
    "times u": lambda v, u, xp, n: u * v,
    "times i": lambda v, u, xp, n: build(xp, n, lambda i: v[i] * i),
    "times i - 3": lambda v, u, xp, n: build(xp, n, lambda i: v[i] * (xp.asarray(i) - 3)),
    "times n - 4": lambda v, u, xp, n: v * (xp.asarray(n) - 4),
    "over i + 1": lambda v, u, xp, n: build(xp, n, lambda i: v[i] / (i + 1)),
    "last": lambda v, u, xp, n: u * v[-1],
    "less the first": lambda v, u, xp, n: build(xp, n, lambda i: v[i] - v[0]),
    "total": lambda v, u, xp, n: xp.ones((n,)) * v.sum(),
}
ENDS = {
    "all": lambda v: v,
    "sum": lambda v: v.sum(),
    "first": lambda v: v[0],
    "last": lambda v: v[-1],
}


def word(names, v, u, xp, n):
    for name in names:
        image = OPERATORS[name](v, u, xp, n)
        v = build(xp, n, lambda i, image=image: image[i])
    return v


def test_operators_that_seem_to_commute():
    """Words of operators, equal at small sizes or not: the first size at which they differ is within the bound."""
    late = 0
    for seed in range(600):
        rng = random.Random(seed)
        one = rng.choices(list(OPERATORS), k=rng.randint(1, 6))
        other = rng.sample(one, len(one))
        end, start = rng.choice(list(ENDS)), rng.choice(["u", "1"])

        def body(u, w, xp, n, one=one, other=other, end=end, start=start):
            first = u if start == "u" else xp.ones((n,))
            left, right = (word(names, first, w, xp, n) for names in (one, other))
            return equal(ENDS[end](left), ENDS[end](right))

        claim = claim_of(body, {"u": "n", "w": "n"})
        try:
            end_of = bounds(claim)["n"]
        except NotUniform:
            continue
        failure = first_failure(claim, "n", min(end_of.last, 12) + 3)
        assert failure is None or failure <= end_of.last, (one, other, end, start)
        late += failure is not None and failure > 3
    assert late > 3


@definition
def inner(u, v):
    return u @ v


def test_it_decides_without_the_kernel(monkeypatch):
    from scanproof.proofs.kernel import rules, term

    def refuse(*_args, **_keywords):
        pytest.fail("the kernel was asked")

    for module, name in ((rules, "Rewriting"), (term, "Term")):
        monkeypatch.setattr(module, name, refuse)
    assert isinstance(
        cutoff(claim_of(lambda u, v: equal(inner(u, v), inner(v, u)), {"u": "n", "v": "n"})), Cutoff
    )
    assert isinstance(cutoff(CLAIMS["gril.prop4.1-construction"]), Cutoff)
