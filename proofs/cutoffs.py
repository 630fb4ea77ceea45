"""`make cutoff`: every claim that the cutoff method decides for all sizes, beside what the kernel says of it."""

from __future__ import annotations

from tabulate import tabulate

from .evidence.all_sizes import Proof, prove
from .evidence.cutoff import Cutoff, cutoff
from .ledger import built_in


def main() -> None:
    """Print the table, then how often the two roads meet."""
    rows, alone, reasons = [], 0, 0
    for claim in (c for row in built_in().rows for c in (row.claim, *row.amendments)):
        if claim.body is None or not claim.ranges:
            continue
        found = cutoff(claim)
        known = isinstance(prove(claim), Proof)
        if isinstance(found, Cutoff):
            bounds = ", ".join(f"{name} ≤ {n}" for name, n in found.bounds.items())
            kernel = "agrees" if known else "no proof"
            rows.append([claim.id, bounds, len(found.checked), f"{found.seconds:.2f}", kernel])
        alone += known and not isinstance(found, Cutoff)
        reasons += not isinstance(found, Cutoff)
    headers = ["claim", "checked up to", "sizes", "seconds", "kernel"]
    print(tabulate(rows, headers=headers), end="\n\n")
    both = sum(row[-1] == "agrees" for row in rows)
    print(
        f"{len(rows)} claims hold at all sizes by a cutoff; the kernel proves {both} of them too."
    )
    print(
        f"{alone} more it proves alone. For {reasons} no cutoff is known, or they do not hold up to it."
    )


if __name__ == "__main__":
    main()
