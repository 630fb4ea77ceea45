"""`python -m scanproof.proofs.orders`: the measured orders of what the sources say is O(·), beside what they claim."""

from __future__ import annotations

from functools import cache

from .exact.orders import Order, Quantity, measure


def quantities() -> tuple[Quantity, ...]:
    """All that is measured, in the ledger's order."""
    from .claims.ssd.orders import ORDERS

    return ORDERS


@cache
def orders(row: str) -> tuple[Order, ...]:
    """The measured orders that belong to a row; none for most."""
    return tuple(measure(quantity) for quantity in quantities() if quantity.row == row)


def main() -> None:
    """Print the measured orders as a table."""
    from tabulate import tabulate

    rows = []
    for quantity in quantities():
        found = measure(quantity)
        first, last = quantity.values[0], quantity.values[-1]
        slopes = " ".join(f"{slope:.3f}" for slope in found.slopes[-3:]) or "0 throughout"
        claimed = "" if quantity.claimed is None else str(quantity.claimed)
        over = f"{quantity.symbol} = {first} … {last}"
        rows.append([quantity.row, quantity.name, over, claimed, slopes])
    headers = ["row", "quantity", "over", "claimed", "last slopes"]
    print(tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True))


if __name__ == "__main__":
    main()
