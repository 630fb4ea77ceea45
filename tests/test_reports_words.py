"""Reports in words: short forms, the story, Markdown, LaTeX and the errata pages."""

import json
import re
from typing import Any

import pytest
from report_cases import KNOWN, every_kind, report_of

from scanproof.proofs.report import latex, markdown, story
from scanproof.proofs.report.errata import errata
from scanproof.proofs.report.words import exact, one_line, over_sizes, symbol, verdict_words


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        (None, "all sizes"),
        ([{}], "no size to vary"),
        ([{"N": 2}], "N=2"),
        ([{"N": n, "f": f} for n in (1, 2, 3) for f in (1, 2)], "N=1..3, f=1,2 (6 sizes)"),
        ([{"N": 1, "f": 1}, {"N": 4, "f": 2}], "N=1,4, f=1,2 (2 of 4 sizes)"),
    ],
)
def test_sizes_are_written_compactly(sizes: Any, text: str):
    assert over_sizes(sizes) == text


def test_only_a_theorem_is_called_proved_without_more():
    assert verdict_words({"verdict": "proved", "scope": "fixed-size"}) == "proved at fixed sizes"
    assert verdict_words({"verdict": "proved", "scope": "sampled"}) == "proved at fixed sizes"
    assert verdict_words({"verdict": "proved", "scope": "all-sizes"}) == "proved"


def test_symbols_and_numbers_read_as_in_the_sources():
    assert [symbol(n) for n in ("eta", "Delta", "lambda_", "x", "w0")] == ["η", "Δ", "λ", "x", "w0"]
    assert exact([["1", "-1/2"], []]) == "[[1, -1/2], []]"
    assert one_line(" a\n\tb\x1b ") == "a b\ufffd"


def stories() -> list[story.Story]:
    report = every_kind()
    return [
        story.render(claim, found, report["sources"][claim["source"]])
        for claim in report["claims"]
        for found in (claim["as_stated"], *claim["amended"])
    ]


@pytest.mark.long
def test_story_of_the_known_row_can_be_redone_by_hand():
    (told,) = (s for s in stories() if s.id == KNOWN)
    text = story.as_text(told)
    shown = text[text.index("Counterexample") : text.index("As a program")]
    assert [line.strip() for line in shown.splitlines() if line][1:] == [
        "N = 1, f = 1",
        "x = [[2], [3]]",
        "y = [4]",
        "η = 1",
        "comes out: -24",
        "claimed:   24",
    ]
    assert "The printed construction fails; that does not say that no construction does it." in (
        one_line(text)
    )


@pytest.mark.parametrize("width", [60, 80])
def test_stories_fit_a_narrow_terminal_and_break_no_word(width: int):
    for told in stories():
        wide, narrow = story.as_text(told), story.as_text(told, width)
        assert narrow.split() == wide.split()
        for line in narrow.splitlines()[1:]:
            assert len(line) <= width or len(line.split()) == 1, line


def test_stories_fit_100_columns():
    assert max(len(line) for s in stories() for line in story.as_text(s).splitlines()) <= 100


def test_markdown_tables_keep_their_columns_whatever_the_source_says():
    lines = markdown.report_table(every_kind()).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


def test_markdown_code_spans_survive_backticks():
    assert markdown.code("a`b``c") == "``` a`b``c ```"


def test_latex_escapes_everything_special():
    text = "".join(latex.as_latex(s) for s in stories())
    bare = re.sub(r"\\[a-zA-Z]+|\\[{}$&#_%\\]", "", text)
    assert not re.search(r"[$&#%~]", bare)
    assert bare.count("{") == bare.count("}")
    assert text.isascii() or not re.search(r"[\u0370-\u03ff\u2070-\u209f\u2200-\u22ff]", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Z̃_t", r"\ensuremath{\tilde{Z}}\_t"),
        ("β = −η/N", r"\ensuremath{\beta} = \ensuremath{-}\ensuremath{\eta}/N"),
        (
            "λ xᵀ R² ½",
            r"\ensuremath{\lambda} x\ensuremath{^{\mathsf{T}}} R\ensuremath{^{2}} \ensuremath{\frac12}",
        ),
        ("ŷ ≠ Ā, §3", r"\ensuremath{\hat{y}} \ensuremath{\ne} \ensuremath{\bar{A}}, \S{}3"),
        ("50% {a} \\", r"50\% \{a\} \textbackslash{}"),
        ("naïve", "naïve"),
    ],
)
def test_latex_of_formulas(text: str, expected: str):
    assert latex.escaped(text) == expected


def test_errata_tell_everything_about_a_failing_line():
    page = errata(every_kind(), "gd-ssm")
    assert f"### `{KNOWN}`, eqs. 12–16" in page
    assert "| fail as printed | 1 |" in page
    assert "*Smallest example.* The printed construction fails." in page
    assert "comes out: -24\nclaimed:   24\n" in page
    assert "- `+sign`: the same with β = +η/N — proved for all sizes." in page


def test_errata_list_what_holds_and_what_is_open():
    page = errata(every_kind(), "kinds")
    holds = page[page.index("## Statements that hold") : page.index("## Statements still open")]
    still_open = page[page.index("## Statements still open") :]
    assert "`kinds.proved`" in holds and "`kinds.witness`" in holds
    assert all(f"`kinds.{name}`" in still_open for name in ("bound", "table", "error"))
    assert "No map can serve both of these inputs." in page


def test_a_slip_that_makes_several_statements_fail_is_counted_once():
    report = report_of(
        ("refuted", {"sign": "proved"}), ("refuted", {"sign": "proved"}), ("proved", {})
    )
    report["sources"]["s"]["slips"] = [
        {"words": "the sign", "claims": ["a", "b"]},
        {"words": "of a claim that is not in this report", "claims": ["z"]},
    ]
    page = errata(report, "s")
    assert "| fail as printed | 2 |" in page
    assert "| … by so many separate slips, as we count them | 1 |" in page
    assert "\n1. the sign: `a`, `b`\n" in page and "z" not in page[page.index("1. the sign") :][:40]


def test_that_nothing_does_it_is_no_mend():
    report = report_of(
        ("refuted", {"none": "proved"}), ("refuted", {"none": "proved", "sign": "proved"})
    )
    page = errata(report, "s")
    assert "| … of these, with a proved statement of what holds instead | 1 |" in page
    assert "| … of these, proved that nothing does what is asked for | 2 |" in page
    first = page[page.index("### `a`") : page.index("### `b`")]
    assert "nothing does what is asked for.*\n\n- `+none`" in first
    assert "What holds instead" not in first


def test_statements_of_our_own_have_answers_and_no_errata():
    report = report_of(("refuted", {"sign": "proved"}))
    report["sources"]["s"]["own"] = True
    page = errata(report, "s")
    assert page.startswith("# Answers: S") and "## Answered: no" in page
    assert not any(word in page for word in ("Errata", "the authors", "as printed", "slip"))


def test_errata_hold_nothing_that_changes_from_run_to_run():
    report = json.loads(json.dumps(every_kind()))
    page = errata(report, "kinds")
    report["timing"] = {}
    report["tool"] = {}
    for claim in report["claims"]:
        for found in (claim["as_stated"], *claim["amended"]):
            found["definitions"] = []
    assert errata(report, "kinds") == page
