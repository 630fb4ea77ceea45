"""Derivations: proofs as numbered lines, each with its reason, in text, Markdown and LaTeX.

`expression` is what formulas are made of and `document` what lines are. `derive` makes them: `terms` reads the kernel's
terms, `names` gives letters, `normal_forms` and `factoring` make formulas short, `reasons` says why two are equal,
`writer` writes the lines. `text`, `latex` and `markdown` print them, on `pages` or below a row's story.
"""
