"""SARIF 2.1.0, which code scanning and editors read: a result for each verdict that changed against the baseline."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from .findings import Finding, Spot, spot
from .standing import ERROR
from .story import counterexample
from .words import Record, one_line

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"
STEPS = 200
"""Steps of one code flow."""
ROOM = 4000
"""Characters of one message."""
RULES = {
    "refuted": ("A claim is false", "There are inputs for which its two sides differ."),
    "unknown": ("A claim is open", "It is neither proved nor refuted."),
    "error": ("A claim cannot be checked", "Its body, or what it rests on, raised an error."),
    "unexpected": (
        "A verdict is not as expected",
        "The claim is decided, and its author expects another verdict.",
    ),
    "missing": ("A claim is gone", "The baseline has a verdict on it, and this run has none."),
    "proved": ("A claim is proved", "It holds for all sizes."),
    "proved at fixed sizes": (
        "A claim is proved at fixed sizes",
        "It is an identity in every entry at the sizes that were looked at.",
    ),
    "supported": ("A claim is supported", "It was measured, and the measurements agree with it."),
    "not-checkable": ("A claim is not checkable", "No machine decides it here."),
}
KINDS = {
    "unknown": "open",
    "proved": "pass",
    "proved at fixed sizes": "pass",
    "supported": "pass",
    "not-checkable": "notApplicable",
}
"""What a verdict is where it is not to blame for the exit code; every other is a failure."""


def sarif(
    report: Record,
    found: Sequence[Finding],
    problems: Sequence[str] = (),
    prefix: str = "",
    *,
    compared: bool = False,
    exit_code: int = 0,
) -> dict[str, Any]:
    """The log, as a dictionary that `json.dump` takes.

    Args:
        report: what `scanproof.check` returned; `derivation` in its statements becomes a code flow.
        found: what is to be said, as `findings` gives it.
        problems: what went wrong beside the claims.
        prefix: the folder in which the check ran, named from the root of the repository.
        compared: whether there is a baseline.
        exit_code: of the run.
    """
    chosen = [one for one in found if not (one.known or (one.as_expected and one.level == "note"))]
    rules = list(dict.fromkeys(map(_rule_of, chosen)))
    places = {name: f"{path}:" for name, path in report.get("files", {}).items()}
    notes = [{"level": "error", "message": _message(text)} for text in problems]
    invocation = {
        "executionSuccessful": exit_code != ERROR,
        "exitCode": exit_code,
        **({"toolExecutionNotifications": notes} if notes else {}),
    }
    driver = {
        "name": "scanproof",
        "semanticVersion": report["tool"]["version"],
        "rules": [_rule(name) for name in rules],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "scanproof/"},
        "invocations": [invocation],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, rules, places, prefix, compared) for one in chosen],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule_of(one: Finding) -> str:
    return "unexpected" if one.unexpected else one.verdict


def _rule(verdict: str) -> dict[str, Any]:
    short, full = RULES[verdict]
    problem = KINDS.get(verdict) is None
    return {
        "id": _rule_id(verdict),
        "name": "Claim" + "".join(word.capitalize() for word in re.split(r"[ -]", verdict)),
        "shortDescription": {"text": f"{short}."},
        "fullDescription": {"text": full},
        "help": {"text": f"{full} `scanproof show FILE.py ID` tells the claim's whole story."},
        "defaultConfiguration": {"level": "error" if problem else "none"},
        "properties": {"tags": ["proof"]},
    }


def _rule_id(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _result(
    one: Finding, rules: list[str], places: dict[str, str], prefix: str, compared: bool
) -> dict[str, Any]:
    kind = "fail" if one.blame is not None else KINDS.get(one.verdict, "fail")
    statement = one.statement or {}
    said = [f"{one.headline}."]
    said += [one_line(statement["statement"])] if statement else []
    said += [one.why] if one.why else []
    place = spot(one.written, prefix)
    result: dict[str, Any] = {
        "ruleId": _rule_id(_rule_of(one)),
        "ruleIndex": rules.index(_rule_of(one)),
        "kind": kind,
        "level": one.level if kind == "fail" else "none",
        "message": _message("\n".join([*said, *one.mends])),
        "locations": [_location(place, id=one.id)],
        "partialFingerprints": _fingerprints(one.id),
    }
    steps = _steps(statement, place, places, prefix)
    if steps:
        flow = {"locations": [{"location": step} for step in steps]}
        result["codeFlows"] = [{"threadFlows": [flow]}]
    if compared:
        updated = "new" if one.change and one.change.was is None else "updated"
        result["baselineState"] = updated if one.change else "unchanged"
    properties = {"verdict": one.verdict, **({"was": one.change.was} if one.change else {})}
    if statement.get("counterexample"):
        properties["smallestFailingSize"] = statement["counterexample"]["sizes"]
    result["properties"] = properties
    return result


def _steps(
    statement: Record, place: Spot | None, places: dict[str, str], prefix: str
) -> list[dict[str, Any]]:
    """The lines of the derivation, each at the definition that it names, then the counterexample, at the claim."""
    steps = []
    for line in statement.get("derivation", ()):
        there = [_in_files(text, places, prefix) for text in line["places"]]
        steps.append(_location(next(filter(None, there), place), line["text"]))
    shown = counterexample(statement.get("counterexample"))
    return [*steps, *(_location(place, text) for text in shown)][:STEPS]


def _in_files(text: str, places: dict[str, str], prefix: str) -> Spot | None:
    name, _, line = text.rpartition(":")
    return spot(f"{places[name]}{line}", prefix) if name in places else None


def _location(place: Spot | None, text: str = "", id: str = "") -> dict[str, Any]:
    location: dict[str, Any] = {}
    if place is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": quote(place.path), "uriBaseId": ROOT},
            "region": {"startLine": place.line},
        }
    if id:
        location["logicalLocations"] = [{"fullyQualifiedName": id}]
    if text:
        location["message"] = _message(text)
    return location


def _message(text: str) -> dict[str, str]:
    """The text, in which nothing is taken for a placeholder or a link."""
    short = text if len(text) <= ROOM else f"{text[: ROOM - 1]}…"
    plain = re.sub(r"\{(\d+)\}", r"{{\1}}", short)
    return {"text": re.sub(r"\[([^\[\]]*)\](?=\()", r"\\[\1\\]", plain)}


def _fingerprints(id: str) -> dict[str, str]:
    """What makes this result the same as that of another run: the statement's id, on whatever line it stands.

    GitHub compares the second key alone.
    """
    digest = hashlib.sha256(id.encode()).hexdigest()
    return {"scanproofStatement/v1": digest[:32], "primaryLocationLineHash": f"{digest[:16]}:1"}
