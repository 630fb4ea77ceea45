"""Reports: the JSON and its schema, the table, JUnit, Markdown, LaTeX, the errata, and where each stands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from scanproof import Ledger, Source, at_most, check, definition, determines, differs, equal
from scanproof.proofs import report as reports
from scanproof.proofs.ledger import built_in
from scanproof.proofs.report import latex, markdown, story
from scanproof.proofs.report.baseline import worse
from scanproof.proofs.report.errata import errata
from scanproof.proofs.report.junit import junit
from scanproof.proofs.report.standing import blames, exit_code
from scanproof.proofs.report.table import table
from scanproof.proofs.report.words import exact, one_line, over_sizes, symbol, verdict_words

KNOWN = "gd-ssm.prop1-construction"  # refuted as printed; its amendment +sign is proved
SCHEMA = json.loads(Path(reports.__path__[0], "report.schema.json").read_text(encoding="utf-8"))
STATEMENT: dict[str, Any] = {
    "reading": None,
    "hypotheses": [],
    "scope": None,
    "reason": "because",
    "tainted": False,
    "stale": False,
    "definitions": [],
    "evidence": [],
    "counterexample": None,
    "near_misses": [],
}
COUNTEREXAMPLE = {
    "sizes": {"N": 1},
    "inputs": {"x": ["1"], "eta": "1/2"},
    "claimed": "1",
    "actual": "-1",
}


@cache
def every_kind() -> dict[str, Any]:
    """A report in which each verdict and each form of evidence occurs; do not change it."""
    source = Source("kinds", title="One of each | with <signs> & “quotes”")

    @definition
    def total(x):
        return x.sum(0)

    @source.claim(
        "kinds.proved", where="eq. 1", says="Σ c x_i = c Σ x_i", given={"x": "N", "c": ""}
    )
    def proved(x, c):
        return equal(total(x * c), total(x) * c)

    @source.claim(
        "kinds.a-name-that-is-longer-than-any-column-would-like-it-to-be",
        where="a place in the source that takes many words to say",
        kind="construction",
        says="Σ x_i² = (Σ x_i)² \\ ~ ^ { } $ & # _ % | * [x](y) `z` <b> Z̃ xᵀ ½ ‖x‖ α≤β",
        given={"x": "N"},
        reading="as it stands, with _underscores_ and *stars*",
    )
    def refuted(x):
        return equal(total(x * x), total(x) * total(x), "the\nsum")

    refuted.amend("one", "the same | for N = 1", sizes={"N": (1,)})

    @source.claim(
        "kinds.collision", kind="existence", says="Σ x² is a function of Σ x", given={"x": "N"}
    )
    def collision(x):
        return determines(total(x), total(x * x))

    @source.claim("kinds.witness", says="Σ x² is not Σ x", given={"x": "N"})
    def witness(x):
        return differs(total(x * x), total(x))

    @source.claim("kinds.bound", kind="bound", says="0 ≤ Σ x²", given={"x": "N"})
    def bound(x):
        return at_most(0 * total(x), total(x * x))

    @source.claim("kinds.error", says="it raises", given={"x": "N"})
    def error(x):
        raise ValueError("control\x00 and \x1b[31m ]]>")

    source.unchecked(
        "kinds.table", says="0.2 against 0.4", missing="a measurement", kind="empirical"
    )
    known = next(row for row in built_in().rows if row.claim.id == KNOWN)
    ledger = Ledger([source, *built_in().sources])
    return check(ledger, [*source.rows, known], jobs=1)


def statement(id: str, verdict: str, **fields: Any) -> dict[str, Any]:
    """A statement's record, refuted ones with a counterexample."""
    found = COUNTEREXAMPLE if verdict == "refuted" else None
    scope = "fixed-size" if verdict == "proved" else None
    base = {**STATEMENT, "id": id, "statement": id, "verdict": verdict, "scope": scope}
    return {**base, "counterexample": found, **fields}


def report_of(*claims: tuple[str, dict[str, str]]) -> dict[str, Any]:
    """A report of claims a, b, …, each given by its verdict and those of its amendments."""
    records = []
    for name, (verdict, amended) in zip("abcdefgh", claims, strict=False):
        records.append(
            {
                "id": name,
                "source": "s",
                "where": "",
                "kind": "identity",
                "as_stated": statement(name, verdict),
                "amended": [statement(f"{name}+{k}", v) for k, v in amended.items()],
                "unmended": None,
                "depends_on": [],
            }
        )
    sources = {"s": {"title": "S", "arxiv": None}}
    return {"sources": sources, "claims": records, "timing": {"total": 0.0}}


# JSON.


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_report_with_every_verdict_validates():
    report = json.loads(json.dumps(every_kind()))
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    found = {v for v, count in report["summary"].items() if count}
    assert found == {"proved", "refuted", "unknown", "not-checkable", "error"}


@pytest.mark.parametrize(
    "change",
    [
        lambda report: report.update(note="a field that the schema does not know"),
        lambda report: report["claims"][0].update(true=True),
        lambda report: report["claims"][0]["as_stated"].update(verdict="true"),
        lambda report: report["claims"][0]["as_stated"].update(evidence=[]),
        lambda report: report["claims"][0]["as_stated"].update(scope=None),
        lambda report: report["claims"][1]["as_stated"].update(counterexample=None),
        lambda report: report["claims"][1]["as_stated"].update(reason=None),
    ],
)
def test_schema_refuses_a_report_that_asserts_more_than_it_shows(change: Any):
    report = json.loads(json.dumps(every_kind()))
    change(report)
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(report)


def test_keys_are_ordered_as_the_schema_lists_them():
    report = every_kind()
    assert list(report) == list(SCHEMA["properties"])
    for claim in report["claims"]:
        assert list(claim) == list(SCHEMA["$defs"]["claim"]["properties"])
        for found in (claim["as_stated"], *claim["amended"]):
            assert list(found) == list(SCHEMA["$defs"]["statement"]["properties"])


def test_two_runs_differ_only_under_timing():
    def run(seed: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "scanproof", "check", "gd-ssm.prop1*", "--format", "json"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        return {k: v for k, v in json.loads(done.stdout).items() if k != "timing"}

    assert run("1") == run("2")


# The table.


def test_table_never_exceeds_100_columns():
    assert max(map(len, table(every_kind(), width=200).splitlines())) == 100


def test_table_of_the_known_row_fits_a_terminal_of_80_columns():
    report = {**every_kind(), "claims": every_kind()["claims"][-1:]}
    assert max(map(len, table(report, width=80).splitlines())) <= 80


def test_table_stars_what_is_proved_at_fixed_sizes_and_says_what_the_star_means():
    text = table(every_kind())
    assert re.search(r"^kinds\.proved +proved\* ", text, re.MULTILINE)
    assert "* proved at fixed sizes" in text


def test_table_has_no_star_for_a_theorem():
    report = report_of(("proved", {}))
    report["claims"][0]["as_stated"]["scope"] = "all-sizes"
    assert "*" not in table(report)


def test_last_column_says_what_is_wrong_and_what_holds():
    text = table(report_of(("refuted", {"sign": "proved"}), ("refuted", {}), ("unknown", {})))
    rows = [line.split(maxsplit=2) for line in text.splitlines()[2:]]
    assert rows[0] == ["a", "refuted", "-1 against the claimed 1 at N = 1"]
    assert rows[1] == ["└", "+sign", "proved*             a+sign"]
    assert rows[2] == ["b", "refuted", "-1 against the claimed 1 at N = 1; no mend: none is known"]
    assert rows[3] == ["c", "unknown", "because"]


def test_unsettled_amendments_take_no_line():
    assert "+sign" not in table(report_of(("refuted", {"sign": "unknown"})))


def test_table_colours_the_verdict_only_if_asked():
    assert "\x1b" not in table(every_kind())
    assert "\x1b[31mrefuted\x1b[0m" in table(report_of(("refuted", {})), colour=True)


# Exit codes, JUnit and the baseline.


@pytest.mark.parametrize(
    ("claim", "own", "strict", "code"),
    [
        (("proved", {}), True, True, 0),
        (("supported", {}), True, True, 0),
        (("not-checkable", {}), True, True, 0),
        (("unknown", {}), True, False, 0),
        (("unknown", {}), False, True, 2),
        (("refuted", {}), False, False, 0),
        (("refuted", {}), False, True, 2),
        (("refuted", {"x": "unknown"}), False, True, 2),
        (("refuted", {"x": "proved"}), False, True, 0),
        (("refuted", {"x": "proved"}), True, False, 1),
        (("refuted", {"x": "refuted", "y": "proved"}), False, False, 1),
        (("proved", {"x": "error"}), False, False, 3),
        (("error", {}), False, False, 3),
    ],
)
def test_exit_code_of_one_claim(claim: Any, own: bool, strict: bool, code: int):
    found = blames(report_of(claim), own={"a"} if own else (), strict=strict)
    assert exit_code(found) == code


def test_error_counts_before_failure_and_failure_before_unsettled():
    report = report_of(("unknown", {}), ("refuted", {}), ("error", {}))
    assert exit_code(blames(report, own={"b"}, strict=True)) == 3
    report["claims"].pop()
    assert exit_code(blames(report, own={"b"}, strict=True)) == 1


def test_junit_fails_exactly_the_statements_to_blame():
    report = every_kind()
    for strict in (False, True):
        found = blames(report, strict=strict, worse={"gone": "was proved, is missing"})
        root = ET.fromstring(junit(report, found))
        failed = [
            case.attrib["name"]
            for case in root.iter("testcase")
            if case.find("failure") is not None or case.find("error") is not None
        ]
        assert sorted(failed) == sorted(found)


def test_junit_has_a_case_for_each_statement_and_counts_them():
    report = every_kind()
    root = ET.fromstring(junit(report, blames(report)))
    statements = [s["id"] for c in report["claims"] for s in (c["as_stated"], *c["amended"])]
    assert sorted(statements) == sorted(case.attrib["name"] for case in root.iter("testcase"))
    for suite in root:
        assert suite.get("tests") == str(len(suite.findall("testcase")))
        assert suite.get("errors") == str(len(suite.findall("testcase/error")))


def test_junit_shows_the_counterexample_of_a_line_that_the_source_gets_wrong():
    report = every_kind()
    root = ET.fromstring(junit(report, blames(report)))
    (case,) = (case for case in root.iter("testcase") if case.get("name") == KNOWN)
    assert case.find("failure") is None
    assert "comes out: -1\nclaimed:   1\namended +sign: proved" in case.findtext("system-out", "")


ORDER = ["error", "refuted", "unknown", "supported", "proved"]


@pytest.mark.parametrize("before", ORDER)
@pytest.mark.parametrize("now", ORDER)
def test_verdict_is_worse_if_it_comes_earlier_in_the_order(before: str, now: str):
    found = worse(report_of((before, {})), report_of((now, {})), lambda id, source: True)
    assert bool(found) == (ORDER.index(now) < ORDER.index(before))


def test_theorem_that_holds_only_at_fixed_sizes_now_is_worse():
    former = report_of(("proved", {}))
    former["claims"][0]["as_stated"]["scope"] = "all-sizes"
    found = worse(former, report_of(("proved", {})), lambda id, source: True)
    assert found == {"a": "was proved, is proved at fixed sizes"}


def test_amendment_that_is_gone_is_worse():
    former = report_of(("refuted", {"sign": "proved"}))
    found = worse(former, report_of(("refuted", {})), lambda id, source: True)
    assert found == {"a+sign": "was proved at fixed sizes, is missing"}


def test_claims_that_were_not_selected_are_not_compared():
    assert worse(report_of(("proved", {})), report_of(), lambda id, source: False) == {}


# Words.


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


# The story, Markdown and LaTeX.


def stories() -> list[story.Story]:
    report = every_kind()
    return [
        story.tell(claim, found, report["sources"][claim["source"]])
        for claim in report["claims"]
        for found in (claim["as_stated"], *claim["amended"])
    ]


def test_story_of_the_known_row_can_be_redone_by_hand():
    (told,) = (s for s in stories() if s.id == KNOWN)
    text = story.as_text(told)
    shown = text[text.index("Counterexample") : text.index("As a program")]
    assert [line.strip() for line in shown.splitlines() if line][1:] == [
        "N = 1, f = 1",
        "x = [[1], [1]]",
        "y = [1]",
        "η = 1",
        "comes out: -1",
        "claimed:   1",
    ]
    assert "The printed construction fails; that does not say that no construction does it." in (
        one_line(text)
    )


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


# The errata.


def test_errata_tell_everything_about_a_failing_line():
    page = errata(every_kind(), "gd-ssm")
    assert f"### `{KNOWN}`, eqs. 12–16" in page
    assert "| fail as printed | 1 |" in page
    assert "*Smallest example.* The printed construction fails." in page
    assert "comes out: -1\nclaimed:   1\n" in page
    assert (
        "- `+sign`: the same with β = +η/N — proved at fixed sizes (N=1..3, f=1..3 (9 sizes))."
        in page
    )


def test_errata_list_what_holds_and_what_is_open():
    page = errata(every_kind(), "kinds")
    holds = page[page.index("## Statements that hold") : page.index("## Statements still open")]
    still_open = page[page.index("## Statements still open") :]
    assert "`kinds.proved`" in holds and "`kinds.witness`" in holds
    assert all(f"`kinds.{name}`" in still_open for name in ("bound", "table", "error"))
    assert "No map can serve both of these inputs." in page


def test_errata_hold_nothing_that_changes_from_run_to_run():
    report = json.loads(json.dumps(every_kind()))
    page = errata(report, "kinds")
    report["timing"] = {}
    report["tool"] = {}
    for claim in report["claims"]:
        for found in (claim["as_stated"], *claim["amended"]):
            found["definitions"] = []
    assert errata(report, "kinds") == page
