"""A changed certificate is never better than none: no change makes a proof one of a false claim."""

from __future__ import annotations

from functools import partial

import certificates
import pytest

from scanproof import Source, definition, equal, scan
from scanproof.constructs.array_api import unit
from scanproof.proofs import workers
from scanproof.proofs.evidence import all_sizes
from scanproof.proofs.kernel.index import Index, position
from scanproof.proofs.kernel.term import Factor, entry
from scanproof.proofs.reading import scanning
from scanproof.proofs.reading.terms import total
from scanproof.proofs.search import tape
from scanproof.proofs.search.inductions import by_induction


@pytest.fixture(autouse=True)
def kernel_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the comparison with the claim's own numbers, which would find a false one by itself."""
    monkeypatch.setattr(all_sizes, "disagreement", lambda *_: None)


def test_every_recorded_proof_goes_through_again_for_its_own_claim():
    for claim, lines in certificates.recorded().values():
        assert certificates.accepted(claim, lines), claim.id


def test_every_recorded_proof_is_refused_for_a_false_claim():
    for claim, lines in certificates.recorded().values():
        for name, false in certificates.false_claims(claim):
            assert not certificates.accepted(false, lines), (claim.id, name)


def test_changed_proofs_of_false_claims_are_refused():
    assert certificates.batch("a few", 150) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_twenty_thousand_changed_proofs_of_false_claims_are_refused(seed: int):
    certificates.recorded()
    (answer,) = workers.run([partial(certificates.batch, str(seed), 500)], time_limit=1200)
    assert answer.value == []


def forged_scan(monkeypatch: pytest.MonkeyPatch):
    """A false claim on a scan, and a tape whose closed form is one of the state's first entry alone."""
    source = Source("forged", title="A layer that writes into its first entry alone")

    @source.claim("forged.scan", says="every entry is Σ x", given={"x": "N"}, sizes={"f": (1, 2)})
    def row(x, xp, N, f):
        @definition
        def step(parameters, state, token):
            state = state + token * unit(xp, f, 0)
            return state, state

        run = scan(step, None, xp.zeros((f,)), x)
        return equal(run.final_state, xp.zeros((f,)) + x.sum())

    def first_entry(recursion, length):
        (state,), when = recursion.states, position("t", 0, length + 1)
        s = position("s", 0, when)
        lemma = by_induction(
            when, [(Factor(state.name, (when, Index(0))), total(entry("x", s), s))]
        )
        return {0: (when, lemma.rules[0].right)}

    recorder = tape.Recorder()
    with monkeypatch.context() as patch, tape.using(recorder):
        patch.setattr(scanning, "_search", first_entry)
        assert isinstance(all_sizes.prove(row.claim), all_sizes.Proof)
    return row.claim, recorder.lines


def test_a_closed_form_of_one_entry_is_not_taken_for_that_of_all(monkeypatch):
    claim, lines = forged_scan(monkeypatch)
    assert not certificates.accepted(claim, lines)
    with monkeypatch.context() as patch:  # so it would be, were its positions not compared
        patch.setattr(
            scanning, "_closed", lambda _, __, lemma: (0, (lemma.when, lemma.rules[0].right))
        )
        assert certificates.accepted(claim, lines)
