"""The site: pages made from the report, certificates and derivations of every claim, and from the texts in `docs/`.

`gathered` has every certificate checked and its derivation written; `claim_page`, `derivation` and `indexes` make
Markdown of it, with the titles of `titles.toml`; `map` draws claims and definitions; `extension` is what Sphinx runs:
formulas as MathML, links to source, ids that are checked; `folds` keeps pages light; `served` puts beside them what the
reader's browser runs. `python docs/_site` does all of it.
"""
