"""Mutants of what is proved: each is refuted, or shown to be equivalent. `make mutants` tries those of every row."""

from functools import partial

import pytest

from scanproof.proofs.decide import workers
from scanproof.proofs.decide.attack import attack
from scanproof.proofs.decide.ledger import built_in


@pytest.mark.long
@pytest.mark.parametrize(("source", "every"), [("ch9", 1), ("gd-ssm", 4), ("gril", 4), ("ssd", 8)])
def test_mutants_are_refuted_or_equivalent(source, every, record_property, capsys):
    rows = built_in().select(source=source)[::every]
    answers = list(workers.run([partial(attack, [row]) for row in rows]))
    assert [rows[a.index].claim.id for a in answers if a.missing] == []
    records = [record for answer in answers for record in answer.value]
    mutants = sum(r["mutants"] for r in records)
    refuted = sum(r["refuted"] for r in records)
    with capsys.disabled():
        print(f"\n{source}: {mutants} mutants, {refuted} refuted, {mutants - refuted} equivalent")
    record_property("mutants", mutants)
    assert {r["id"]: r["undecided"] for r in records if r["undecided"]} == {}
    assert [r["id"] for r in records if r["refuted"] == 0] == []
