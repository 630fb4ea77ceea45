"""The site: pages made from the report, certificates and derivations of every claim, and from the texts in `docs/`.

`gathered` has every certificate checked and its derivation written; `claim_page` and `indexes` make Markdown of it;
`map` draws claims and definitions; `extension` is what Sphinx runs: formulas as MathML, links to source, ids that are
checked. `python docs/_site` does all of it.
"""
