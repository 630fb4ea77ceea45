"""What a search that finds nothing takes: guesses that cannot be right, or failed before, are not tried."""

import pytest

from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.search.all_sizes import prove
from scanproof.proofs.search.session import TOO_LONG, allowing

FEW = 8_000
"""Each of these took 60 000 steps and more when every guess was tried by induction, under each name that it has."""


@pytest.mark.long
@pytest.mark.parametrize(
    "id", ["ssd.thm5.2+gram-last", "ssd.thm5.1+first-epoch", "open.value-projection"]
)
def test_a_search_that_finds_nothing_ends_before_its_budget_does(id):
    (claim,) = (
        claim for row in built_in().rows for claim in (row.claim, *row.amendments) if claim.id == id
    )
    with allowing(FEW):
        why = prove(claim)
    assert isinstance(why, str) and TOO_LONG not in why
