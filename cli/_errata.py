"""`scanproof errata`: a page for each source with the lines that fail and what mends them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._options import PagesCheck, PagesFolder, SourceName


def errata(output: PagesFolder, source: SourceName = None, check: PagesCheck = False) -> None:
    """Write the errata, a page for each source.

    A source of which nothing fails has none.
    """
    from scanproof.proofs.report.errata import errata as page
    from scanproof.proofs.report.measured import figures_beside

    from ._pages import pages

    figures = figures_beside(output)

    def made(_rows: object, report: Mapping[str, Any]) -> dict[str, str]:
        claims = report["claims"]
        names = {c["source"] for c in claims if c["as_stated"]["verdict"] == "refuted"}
        return {name: page(report, name, figures) for name in report["sources"] if name in names}

    pages("errata", output, source, check, made)
