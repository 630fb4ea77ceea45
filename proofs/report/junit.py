"""JUnit XML: each statement a test case, for the dashboards that read it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

from .findings import spot
from .standing import ERROR, Blame, statements
from .story import counterexample
from .words import (
    Record,
    as_expected,
    caveats,
    mend,
    one_line,
    suffix,
    verdict_beside,
    verdict_said,
)

ILLEGAL = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Record, blames: Mapping[str, Blame], prefix: str = "") -> str:
    """The report as JUnit XML, in which a statement fails if and only if it is to blame for the exit code.

    A row that the source states wrongly is not a failure of the checker: its counterexample and its amendments stand in
    its output.

    Args:
        report: what `scanproof.check` returned.
        blames: what keeps the exit code from 0.
        prefix: the folder in which the check ran, named from the root of the repository.
    """
    root = ET.Element("testsuites", name="scanproof")
    for name in report["sources"]:
        suite = ET.SubElement(root, "testsuite", name=name)
        for claim in report["claims"]:
            if claim["source"] == name:
                _cases(suite, claim, report["timing"], blames, prefix)
        _count(suite)
    missing = {s["id"] for c in report["claims"] for s, _ in statements(c)}
    gone = {id: blame for id, blame in blames.items() if id not in missing}
    if gone:
        suite = ET.SubElement(root, "testsuite", name="baseline")
        for id, blame in gone.items():
            _blamed(ET.SubElement(suite, "testcase", classname="baseline", name=id), blame)
        _count(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _cases(
    suite: ET.Element, claim: Record, timing: Record, blames: Mapping[str, Blame], prefix: str
) -> None:
    for statement, _ in statements(claim):
        id, verdict = statement["id"], statement["verdict"]
        time = f"{timing.get(id, 0):.4f}"
        case = ET.SubElement(
            suite, "testcase", classname=claim["source"], name=_legal(id), time=time
        )
        place = spot(statement.get("written"), prefix)
        if place is not None:
            case.set("file", _legal(place.path))
            case.set("line", str(place.line))
        if id in blames:
            _blamed(case, blames[id])
        elif verdict in ("unknown", "not-checkable") and not as_expected(statement):
            ET.SubElement(
                case, "skipped", message=_legal(f"{verdict}: {one_line(statement['reason'])}")
            )
        ET.SubElement(case, "system-out").text = _legal("\n".join(_output(claim, statement)))


def _blamed(case: ET.Element, blame: Blame) -> None:
    ET.SubElement(case, "error" if blame.code == ERROR else "failure", message=_legal(blame.why))


def _count(suite: ET.Element) -> None:
    suite.set("tests", str(len(suite)))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))


def _output(claim: Record, statement: Record) -> list[str]:
    lines = [one_line(statement["statement"]), f"verdict: {verdict_beside(statement)}"]
    if statement["reason"]:
        lines.append(f"reason: {one_line(statement['reason'])}")
    lines += caveats(statement)
    lines += counterexample(statement["counterexample"])
    lines += [f"mend: {mend(one)}" for one in statement.get("mends", ())]
    if statement is claim["as_stated"]:
        lines += [f"amended {suffix(a, claim)}: {verdict_said(a)}" for a in claim["amended"]]
    return lines


def _legal(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return ILLEGAL.sub("\ufffd", text)
