"""Each claim's page is titled in words, and no two alike."""

import tomllib
from pathlib import Path

from scanproof._targets import core

TITLES = tomllib.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "_site" / "titles.toml").read_text("utf-8")
)


def test_every_claim_has_a_title_and_no_two_have_the_same():
    ids = {row.claim.id for row in core(None).ledger.select(())}
    assert set(TITLES) == ids
    assert len({title.casefold() for title in TITLES.values()}) == len(TITLES)


def test_titles_are_words_that_fit_a_heading():
    for id, title in TITLES.items():
        assert 12 <= len(title) <= 90 and title[0].isupper() and not title.endswith("."), id
