"""docs/gallery/README.md has all claims in their words, and of some what the check says today."""

import functools
import re

import pytest
from gallery.page import FILES, KINDS, PAGE, PREFACE, checked, note, notes, prose, sources, table

from scanproof.proofs.report.markdown import code

TEXT = PAGE.read_text(encoding="utf-8")
FAST = {"fla_notes.py": "fla-notes.cp-decay", "fla_learners.py": "fla-learners.mesa-cg"}
"""Refuted, with a mend that is proved for all sizes; seconds each."""


@functools.cache
def rows():
    return [row for source in sources() for row in source.rows]


def verdict(id: str) -> str:
    """The verdict that the page prints."""
    found = re.search(rf"^\| {re.escape(code(id))} \|.*?\*\*(.*?)\*\*", TEXT, re.M)
    assert found, f"{id} is not on the page: make gallery-page"
    return found[1]


@pytest.mark.long
def test_every_claim_of_the_folder_is_on_the_page_in_its_own_words():
    for row in rows():
        assert verdict(row.claim.id)
        for claim in (row.claim, *row.amendments):
            assert prose(claim.says) in TEXT, f"{claim.id}: make gallery-page"
    assert len(re.findall(r"^\| `", TEXT, re.M)) == len(rows())


@pytest.mark.long
def test_every_refuted_claim_has_a_note_of_what_the_public_code_gave():
    said = notes()
    refuted = [row.claim.id for row in rows() if verdict(row.claim.id) == "refuted"]
    assert len(refuted) >= 8
    for id in refuted:
        assert said[id][-1].startswith("Run: "), id
        assert all(prose(paragraph) in TEXT for paragraph in said[id]), "make gallery-page"


@pytest.mark.long
def test_every_refuted_claim_has_one_kind_and_its_note_stands_in_that_section():
    refuted = [row.claim.id for row in rows() if verdict(row.claim.id) == "refuted"]
    assert sorted(id for kind in KINDS.values() for id in kind["claims"]) == sorted(refuted)
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
    assert list(sections) == [*map(str.capitalize, KINDS), "All claims", "Sources"]
    for name, kind in KINDS.items():
        assert re.findall(r"^### (.*)", sections[name.capitalize()], re.M) == kind["claims"]


def test_no_claim_file_fetches_anything_or_imports_what_it_judges():
    for file in FILES:
        imports = re.findall(r"^(?:from|import) (\w+)", file.read_text(encoding="utf-8"), re.M)
        assert set(imports) <= {"jax", "scanproof"}, file.name


@pytest.mark.long
def test_of_some_claims_the_page_has_what_their_check_says_today():
    report = checked(*(str(PAGE.parent / name) for name in FAST), *FAST.values())
    assert {claim["id"] for claim in report["claims"]} == set(FAST.values())
    for claim in report["claims"]:
        assert claim["as_stated"]["verdict"] == verdict(claim["id"]) == "refuted"
        assert [(a["verdict"], a["scope"]) for a in claim["amended"]] == [("proved", "all-sizes")]
        assert "\n".join(note(claim, notes()[claim["id"]])) in TEXT, "make gallery-page"
    assert set(table(report)) < set(TEXT.splitlines())
    assert TEXT.startswith(PREFACE)
