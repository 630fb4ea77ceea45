"""What proofs for all sizes are about: the claim's statement as formulas, or the body of one that calls a program."""

from dataclasses import replace
from typing import Any

import pytest
from claims import claim

from scanproof import equal, gradient, scan
from scanproof.proofs.check import all_sizes
from scanproof.proofs.check.all_sizes import ANOTHER, UNNAMED, Proof, Stale
from scanproof.proofs.check.formulas import formulas, hash_of
from scanproof.proofs.doors.program import program
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.exact.mutation import OnLeaf
from scanproof.proofs.interpret.questions import Unreadable
from scanproof.proofs.kernel import index
from scanproof.proofs.search.all_sizes import Found, checked, find, prove
from scanproof.proofs.search.proving import proving
from scanproof.proofs.statement.text import fingerprint


def total(x: Any) -> Any:
    return x.sum()


def added(_: Any, state: Any, token: Any) -> Any:
    """S_t = S_{t−1} + x_t.

    state: S
    """
    return state + token, state


def of_rows(_: Any, state: Any, row: Any) -> Any:
    """state: R"""
    inner = scan(added, None, state * 0, row).final_state
    return state + inner, inner


NESTED = claim(
    lambda x, s: equal(scan(of_rows, None, s, x).outputs, x.sum(axis=1)), {"x": "n m", "s": ""}
)
TOTAL = claim(lambda x, c, N: equal(total(x + c), total(x) + N * c), {"x": "N", "c": ""})


def test_a_proof_names_the_statement_and_is_stale_for_another_and_where_it_names_none():
    found = find(TOTAL)
    assert isinstance(found, Found)
    own = found.certificate
    assert own.statement == hash_of(TOTAL) == fingerprint(record(TOTAL))
    assert isinstance(checked(TOTAL, own), Proof)
    for name, why in (("", UNNAMED), (own.statement[::-1], ANOTHER)):
        answer = checked(TOTAL, replace(own, statement=name))
        assert isinstance(answer, Stale) and answer.endswith(why) and "\n" not in answer


def test_a_named_statement_makes_no_proof_of_another_problem_one_of_its_own():
    other = claim(lambda x, c, N: equal(total(x + c), total(x) + 2 * N * c), TOTAL.given)
    found = find(TOTAL)
    assert isinstance(found, Found)
    answer = checked(other, replace(found.certificate, statement=hash_of(other)))
    assert isinstance(answer, Stale) and "another problem" in answer


def test_a_loop_inside_of_a_loop_is_one_recursion_in_its_states_and_in_its_outputs():
    with proving() as current:
        interpretation = formulas(NESTED, current)
        ((output, _),) = interpretation.equations
        made = {state.name for one in index.current.recursions for state in one.states}
        used = {f.name for m in output.shared.parts for f in m.factors}
    assert len(made) == 2 and used <= made  # of the outer and of the inner loop
    assert isinstance(prove(NESTED), Proof)


def test_states_keep_the_names_that_steps_give_them_also_inside_of_others():
    both = claim(
        lambda x, s: equal(scan(of_rows, None, s, x).final_state, s + x.sum()),
        {"x": "n m", "s": ""},
    )
    with proving() as current:
        formulas(both, current)
        steps = [current.origins[s.name] for one in index.current.recursions for s in one.states]
    assert sorted(step.__name__ for step in steps) == ["added", "of_rows"]


def test_a_changed_parameter_changes_the_formulas_and_one_that_there_is_not_is_refused():
    one = claim(
        lambda p, x, N: equal(p @ x, total(x)), {"x": "N"}, parameters=lambda xp, N: xp.ones(N)
    )
    assert isinstance(prove(one), Proof)
    assert not isinstance(prove(one, OnLeaf("parameter", lambda leaf: leaf * 2)), Proof)
    assert "no array of the parameters" in str(prove(one, OnLeaf("W", lambda leaf: leaf)))


def test_a_gradient_takes_for_granted_what_its_loss_does():
    def body(w, x, xp):
        return equal(gradient(lambda v: xp.log(v), w) * w + 0 * total(x), w / w + 0 * total(x))

    with proving() as current:
        formulas(claim(body, {"w": "", "x": "N"}), current)
        assert "log" in current.functions
        assert any(index.current.bodies[name].name == "log" for name in current.partial)
    found = find(claim(body, {"w": "", "x": "N"}))
    assert isinstance(found, Found) and found.axioms == ["d log(z) = dz / z"]


def caught(x: Any) -> Any:
    try:
        return equal(program(total)(x), x.sum())
    except Exception:
        return equal(x, x)


@pytest.mark.long
def test_a_body_that_calls_a_program_is_read_itself():
    one = claim(caught, {"x": "N"})
    with proving() as current:
        ((left, right),) = formulas(one, current).equations
        assert current.programs and left.ndim == right.ndim == 0
    assert isinstance(prove(one), Proof)


def test_what_the_door_refuses_of_other_bodies_is_not_read_and_said_with_its_line():
    one = claim(lambda x, N: equal(sum(x[k] for k in range(N)), total(x)), {"x": "N"})
    with (
        proving() as current,
        pytest.raises(Unreadable, match=r"the number that N is.*formulas\.py"),
    ):
        formulas(one, current)
    assert str(prove(one)).startswith(all_sizes.NOT_READ)
