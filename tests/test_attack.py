"""Mutants of everything that is proved: each is refuted, or shown to be equivalent."""

from __future__ import annotations

from functools import partial

import pytest

from scanproof.proofs.decide import workers
from scanproof.proofs.decide.attack import attack
from scanproof.proofs.decide.ledger import built_in

LARGE = ("gd-ssm", "gril", "ssd")
"""Sources of which one row in four is attacked, unless all are, as by `make mutants`."""


@pytest.mark.short("ch9")
@pytest.mark.parametrize(
    ("source", "apart"),
    [
        ("ch9", 1),
        *((source, 4) for source in LARGE),
        *(pytest.param(source, 1, marks=pytest.mark.rare) for source in LARGE),
    ],
)
def test_every_mutant_is_refuted_or_equivalent(source, apart, record_property, capsys):
    rows = built_in().select(source=source)[::apart]
    answers = list(workers.run([partial(attack, [row]) for row in rows]))
    assert [rows[a.index].claim.id for a in answers if a.ended or a.timed_out] == []
    records = [record for answer in answers for record in answer.value]
    mutants = sum(r["mutants"] for r in records)
    refuted = sum(r["refuted"] for r in records)
    with capsys.disabled():
        print(f"\n{source}: {mutants} mutants, {refuted} refuted, {mutants - refuted} equivalent")
    record_property("mutants", mutants)
    assert {r["id"]: r["undecided"] for r in records if r["undecided"]} == {}
    assert [r["id"] for r in records if r["refuted"] == 0] == []
