"""The whole ledger: every claim of the sources has a row, every refutation a script, every script shows it."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from scanproof.proofs.decide import workers
from scanproof.proofs.decide.certificates import Certificates
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.row_verdicts import check, homes
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.report.script import script

CLAIM_IDS = (Path(__file__).parent / "claim_ids.txt").read_text(encoding="utf-8").split()
LEDGER = built_in()


def test_every_claim_of_the_sources_has_a_row_in_the_sources_order():
    ids = [row.claim.id for row in LEDGER.rows]
    assert set(CLAIM_IDS) <= set(ids)
    assert [i for i in ids if i in set(CLAIM_IDS)] == CLAIM_IDS


def test_each_row_is_settled_by_its_certificate_which_is_neither_stale_nor_damaged(checked):
    unsettled = {
        s["id"]
        for s in statements(checked["report"])
        if s["verdict"] in ("not-checkable", "unknown")
    }
    notes = checked["notes"]
    assert (notes["stale"], notes["broken"]) == ({}, {})
    assert set(notes["missing"]) <= unsettled


@pytest.mark.long
def test_a_search_from_scratch_gives_what_the_certificates_do(report):
    found = json.loads(json.dumps(check(LEDGER, certificates=Certificates(read=False))))
    assert json.dumps(statements(found)) == json.dumps(statements(report))


def test_no_row_is_an_error(report):
    wrong = [s for s in statements(report) if s["verdict"] == "error"]
    assert wrong == []


def test_every_amendment_is_proved(report):
    wrong = [
        (a["id"], a["verdict"], a["reason"]) for row in report["claims"] for a in row["amended"]
    ]
    assert [w for w in wrong if w[1] != "proved"] == []


def test_every_refuted_row_has_a_proved_amendment_or_says_why_none_is_known(report):
    bare = [
        row["id"]
        for row in report["claims"]
        if row["as_stated"]["verdict"] == "refuted" and not row["amended"] and not row["unmended"]
    ]
    assert bare == []


NO_DATA = {"gril.table10", "gril.table11"}
"""Benchmarks whose data does not come with scanproof."""


def test_only_complexity_theory_and_what_needs_data_is_not_checkable(report):
    found = {r["id"] for r in report["claims"] if r["as_stated"]["verdict"] == "not-checkable"}
    assert found <= {"ch9.thm9.1", *NO_DATA}


def test_tables_and_figures_are_measured_and_no_other_row_is(report):
    for row in report["claims"]:
        measured = row["as_stated"]["verdict"] == "supported" or "measurement" in methods(
            row["as_stated"]
        )
        assert not measured or row["kind"] == "empirical"
        assert row["kind"] != "empirical" or row["as_stated"]["verdict"] in (
            ("not-checkable",) if row["id"] in NO_DATA else ("supported", "unknown")
        )


def test_every_verdict_short_of_proved_has_a_reason(report):
    assert [
        s["id"] for s in statements(report) if s["verdict"] != "proved" and not s["reason"]
    ] == []


def test_every_decided_statement_names_the_definitions_that_ran(report):
    decided = [s for s in statements(report) if s["verdict"] in ("proved", "refuted")]
    assert [s["id"] for s in decided if not s["definitions"]] == []


@pytest.mark.long
def test_sympy_alone_never_contradicts_the_verdicts(report):
    some = LEDGER.rows[::12]
    alone = {s["id"]: s["verdict"] for s in statements(check(LEDGER, some, engine="sympy"))}
    both = {s["id"]: s["verdict"] for s in statements(report) if s["id"] in alone}
    # Bounds are the kernel's: for them sympy can only fail to find a counterexample.
    bounds = {
        s["id"]
        for s in statements(report)
        if s["id"] in alone and {"bound-chain", "sum-of-squares"} & set(methods(s))
    }
    assert {id: v for id, v in alone.items() if id not in bounds} == {
        id: v for id, v in both.items() if id not in bounds
    }
    assert {alone[id] for id in bounds} <= {"unknown", "proved"}


@pytest.mark.long
def test_a_refuted_row_s_script_shows_it_with_the_standard_library_alone(report, tmp_path):
    told = {row["id"]: row["as_stated"]["verdict"] for row in report["claims"]}
    refuted = [row.claim for row in LEDGER.rows if told.get(row.claim.id) == "refuted"][::2]
    by_certificate = Certificates(homes=homes(LEDGER), search=False)

    def shown(claim):
        result = decide(claim, ENGINES["all"], by_certificate)
        assert result.counterexample is not None
        path = tmp_path / f"{claim.id}.py"
        path.write_text(script(claim, result.counterexample), encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return claim.id, done.returncode, done.stderr

    answers = list(workers.run([partial(shown, claim) for claim in refuted]))
    assert len(answers) > 22
    assert [refuted[a.index].id for a in answers if a.missing] == []
    assert [a.value for a in answers if a.value[1] != 0] == []


def methods(statement):
    return [one["method"] for one in statement["evidence"]]


def statements(report):
    return [s for row in report["claims"] for s in (row["as_stated"], *row["amended"])]


def test_what_fails_of_an_author_is_under_a_slip_and_each_slip_makes_something_fail(report):
    """Slips are grouped by hand, for pages of errata: none is forgotten, and none is of what holds."""
    shown = {row["id"] for row in report["claims"]}
    refuted = {
        r["id"]: r["source"] for r in report["claims"] if r["as_stated"]["verdict"] == "refuted"
    }
    for name, source in report["sources"].items():
        slips = [slip["claims"] for slip in source.get("slips", ())]
        fails = {id for id, of in refuted.items() if of == name and not source.get("own")}
        assert {id for ids in slips for id in ids} & shown == fails, name
        assert all(len(set(ids)) == len(ids) for ids in slips)
