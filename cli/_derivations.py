"""`scanproof derivations`: a page for each source with its proofs line by line."""

from __future__ import annotations

from ._options import PagesCheck, PagesFolder, SourceName


def derivations(output: PagesFolder, source: SourceName = None, check: PagesCheck = False) -> None:
    """Write the derivations, a page for each source."""
    from scanproof.proofs.report.derivation.pages import pages as printed
    from scanproof.proofs.report.derivation.rendering import render_all
    from scanproof.proofs.report.measured import figures_beside

    from ._pages import pages

    pages(
        "derivations",
        output,
        source,
        check,
        lambda rows, report: printed(render_all(rows, report), report, figures_beside(output)),
    )
