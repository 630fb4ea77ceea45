"""Claims as data: what is recorded of a body is what the body does, and every reading of it agrees."""

from dataclasses import replace

import numpy as np
import pytest
import statement_cases as cases
from claims import claim

from scanproof import build, definition, each, equal, gradient, iterate, scan
from scanproof.proofs.check.fidelity import disagreement
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.doors.record import recording
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.exact.instance import shapes
from scanproof.proofs.readings import floats
from scanproof.proofs.readings.derivative import without_gradients
from scanproof.proofs.readings.formulas.formulas import FORMULAS
from scanproof.proofs.readings.formulas.mathematics import latex
from scanproof.proofs.readings.program import WRITERS
from scanproof.proofs.readings.reading import METHODS
from scanproof.proofs.statement import binding, making, nodes
from scanproof.proofs.statement.text import TEXTS, fingerprint, text
from scanproof.proofs.statement.whole import Size, whole

SOME = [row.claim.id for row in built_in().rows if row.claim.body is not None][::3]
"""All are compared with their bodies where their certificates are checked."""
N, f = (whole(Size(name, 1)) for name in "Nf")


@pytest.mark.short("[gd-ssm.eq9]")
@pytest.mark.parametrize("id", SOME)
def test_a_statement_reads_as_its_claim_does(id: str):
    (row,) = (row for row in built_in().rows if row.claim.id == id)
    for one in (row.claim, *row.amendments):
        if one.id in cases.LIMITS:
            with pytest.raises(Refused, match="limits"):
                cases.statements(one)
            continue
        if one.body is None:
            continue
        differences = cases.differences(one, cases.statements(one))
        assert differences.pop("formulas") in ("", "unread", "numbers alone"), one.id
        assert not any(differences.values()), (one.id, differences)


@definition
def accumulated(parameters, state, token):
    return state + token, state


def test_two_recordings_are_the_same_nodes_and_print_the_same():
    def body(x, w, xp, N):
        run = scan(accumulated, None, w, x)
        yield equal(run.final_state, w + x.sum())
        for t in each(1, N):
            yield equal(run.outputs[t - 1], w + x[: t - 1].sum(), ("t = ", t))

    one = claim(body, {"x": "N", "w": ""})
    first, again = record(one), record(one)
    assert all(a is b for a, b in zip(first.nodes, again.nodes, strict=True))
    assert text(first) == text(again)
    assert "for t1 = 1, …, N  (t = t1)" in text(first)


def test_what_is_said_is_hashed_and_what_it_is_called_is_not():
    def square(x):
        return equal(x * x, x**2)

    def cube(x):
        return equal(x * x, x**3)

    one, other, named = (
        record(claim(body, {"x": "N"}, id=id))
        for body, id in ((square, "a"), (cube, "a"), (square, "b"))
    )
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(named)


def test_divisions_and_logarithms_add_conditions_where_they_are_not_seen_to_hold():
    def body(x, w, xp, N):
        return equal(xp.log(x + 1) / w / (xp.arange(N) + 1) / 2, x / N)

    said = [
        line
        for line in text(record(claim(body, {"x": "N", "w": ""}))).splitlines()
        if "where" in line
    ]
    assert said == ["  where a1 > 0 in every entry", "  where w ≠ 0 in every entry"]


def test_bodies_that_differ_in_the_names_of_what_they_bind_are_one_node():
    x = nodes.Input("x", (N, f))
    made = []
    for _ in range(2):
        position = binding.fresh(0, N)
        made.append(binding.build(position, making.row(x, whole(position))))
    assert made[0] is made[1]


def test_nothing_is_captured_where_a_binder_is_put_into_another():
    x = nodes.Input("x", (N,))
    outer, inner = binding.fresh(0, N), binding.fresh(0, N)
    (held,) = binding.placeholders([()])
    difference = making.entrywise(
        "add",
        making.row(x, whole(outer)),
        making.entrywise("multiply", held, making.row(x, whole(inner))),
    )
    table = binding.build(outer, binding.build(inner, difference))  # x_i + h x_j
    sum_of_rows = making.total(
        binding.build(position := binding.fresh(0, N), making.row(x, whole(position)))
    )
    found = binding.replaced(table, {held: sum_of_rows})
    values = np.array([2.0, 3.0, 5.0])
    assert np.array_equal(
        floats.Floats({"N": 3}, {"x": values})(found),
        values[:, None] + values.sum() * values[None, :],
    )


def test_a_gradient_through_a_loop_is_that_of_dual_numbers():
    def body(x, w, N):
        def loss(v):
            return (iterate(lambda u: u * x[0] + u * u, v, N) ** 2).sum()

        return equal(gradient(loss, w), w)

    one = claim(body, {"x": "N", "w": "f"})
    statement = record(one)
    (relation,) = statement.relations
    reading = floats.Floats(
        {"N": 3, "f": 2}, {"x": np.array([0.5, 1, 2]), "w": np.array([0.25, 0.5])}
    )
    assert isinstance(relation.left, nodes.Gradient)
    written = without_gradients(relation.left)
    assert np.allclose(reading(relation.left), reading(written), rtol=1e-12)


REFUSED = {
    "a size in a branch": (lambda x, N: equal(x, x if N > 3 else 2 * x), "whether N > 3"),
    "a range over a size": (
        lambda x, N: equal(x, sum(x for _ in range(N))),
        "the number that N is",
    ),
    "an array of NumPy's own": (lambda x, N: equal(x, x + np.zeros(N)), "the number that N is"),
    "another shape": (lambda x, N: equal(x, x[:, None]), "the two sides have shapes"),
    "an entry that may not be there": (lambda x: equal(x, x + x[3]), "lies within an axis"),
    "the text of a size": (lambda x, N: equal(x, x, f"{N}"), "the number that N is"),
    "0.1, which is no number of a decimal": (lambda x: equal(x, np.exp(1) * x), "Fraction"),
    "a loop that is left": (
        lambda x, N: [equal(x[t], x[t]) for t in [next(iter(each(0, N - 1)))]],
        "left",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_hold_at_all_sizes_is_refused_with_its_line(name: str):
    body, said = REFUSED[name]
    with pytest.raises(Refused, match=said) as error:
        record(claim(body, {"x": "N"}))
    assert "test_statements.py:" in str(error.value) or name == "another shape"


def test_a_refusal_stands_though_the_body_catches_it():
    def body(x, N):
        try:
            long = N > 3
        except Exception:
            long = False
        return equal(x, 2 * x if long else x)

    with pytest.raises(Refused, match="whether N > 3"):
        record(claim(body, {"x": "N"}))


def test_every_kind_of_node_is_read_written_and_printed():
    made = {one for one in nodes.KINDS if one is not nodes.Gradient}
    assert set(METHODS) == set(nodes.KINDS) == set(TEXTS) == set(FORMULAS)
    assert set(WRITERS) == made


def test_formulas_have_the_loop_the_gradient_and_both_sides():
    def body(x, y, w, N):
        run = scan(accumulated, None, w, x)
        yield equal(run.final_state, gradient(lambda v: ((x @ v - y) ** 2).sum(), w))

    said = latex(record(claim(body, {"x": "N f", "y": "N", "w": "f"})))
    assert r"s_{t+1} &= s_{t} + x_{t} \quad \text{for } t = 0, \dots, N - 1" in said
    assert r"\boxed{s_{N}} &= \nabla \ell\left(w\right)" in said
    assert said.count("{") == said.count("}")


def test_what_a_step_was_given_is_not_used_outside_of_it():
    def body(x, w, xp, N):
        kept = []

        def step(parameters, state, token):
            kept.append(token)
            return state + token, None

        scan(step, None, w, x)
        return equal(kept[0], x[0])

    with pytest.raises(Refused, match="outside of the step"):
        record(claim(body, {"x": "N", "w": ""}))


def test_a_body_that_records_for_ever_is_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recording, "MOST", 1_000)

    def body(x):
        while True:
            try:
                x = x + 1
            except Exception:
                continue

    with pytest.raises(Refused, match="more than 1000 arrays"):
        record(claim(body, {"x": "N"}))


def test_a_body_that_counts_is_not_what_its_statement_says():
    def body(x, xp, N):
        calls = []

        def entry(i):
            calls.append(i)
            return x[i] * (1 if len(calls) <= 3 else 2)

        return equal(build(xp, N, entry), x)

    one = claim(body, {"x": "N"})
    assert fingerprint(record(one)) == fingerprint(record(one))
    assert "not what the body computes at N = 4" in str(disagreement(one, record(one)))


def test_a_parameter_is_no_other_node_that_equals_it():
    one = claim(
        lambda x, p: equal(p[0] @ x, x), {"x": "f"}, parameters=lambda xp, f: (xp.eye(f), xp.eye(f))
    )
    statement = record(one)
    assert [leaf.path for leaf in statement.parameters] == ["0", "1"]
    assert statement.parameters[0] is not statement.parameters[1]
    assert statement.parameters[0].of is statement.parameters[1].of


def _is_false(statement, sizes, inputs) -> bool:
    """Whether something is said that does not hold of inputs that meet what is assumed."""
    assumed = tuple(one for h in statement.hypotheses for one in h.bounds)
    met = floats.relations(replace(statement, relations=assumed), sizes, inputs)
    if any((np.asarray(a) > b).any() for _, a, b in met):
        return False
    return any(
        not np.allclose(a, b, rtol=1e-9) if one.kind == "equal" else (np.asarray(a) > b).any()
        for one, a, b in floats.relations(statement, sizes, inputs)
        if one.kind in ("equal", "at_most")
    )


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_no_false_claim_becomes_a_true_statement():
    from zoo.case import ZOO, Statement
    from zoo.members import FAMILIES

    assert FAMILIES
    every = [member for member in ZOO if isinstance(member, Statement)]
    assert [str(one) for one in every if _is_taken_in(one)] == []


def _is_taken_in(member) -> bool:
    """Whether a false claim is recorded as something else that may be true."""
    try:
        statement = record(member.claim)
    except Refused:
        return False
    if disagreement(member.claim, statement) is not None:
        return False
    if member.fails is None:
        return statement.relations[0].kind != "determines"
    dims, rng = shapes(member.claim, member.fails), np.random.default_rng(0)
    points = [{n: np.ones(shape) for n, shape in dims.items()}]
    points += [{n: rng.uniform(-1, 1, shape) for n, shape in dims.items()} for _ in range(40)]
    return not any(_is_false(statement, member.fails, point) for point in points)
