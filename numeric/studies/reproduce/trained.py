"""The page of trained models: the sources' figures beside ours, from recorded results alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scanproof.proofs.expected.rows import ROWS

from ..pictures.drawing import draw
from ..pictures.training import picture
from ..training.experiments import EXPERIMENTS
from ..training.rows import FOLDER, best_preset, recorded, rules

COMMAND = "make reproduced"
WIDTH = 120
NAME = "trained-{}.svg"


def pages(folder: Path = FOLDER) -> tuple[str, dict[str, bytes]]:
    """The page as Markdown, and its pictures by their names."""
    lines, pictures = [*_begin()], {}
    missing = []
    for id in EXPERIMENTS:
        preset = best_preset(id, folder)
        found = None if preset is None else recorded(id, folder, preset)
        if preset is None or found is None:
            missing.append(id)
            continue
        pictures[NAME.format(id)] = draw(picture(found), "svg")
        lines += _experiment(found, rules(id, folder, preset))
    if missing:
        lines += _text(
            f"Without recorded results: {', '.join(missing)}; `scanproof train NAME` trains them."
        )
    return "\n".join(lines), pictures


def _begin() -> Iterator[str]:
    yield from (
        "# The sources' figures, and models trained here",
        "",
        f"<!-- written by `{COMMAND}`; edit numeric/studies/reproduce/trained.py -->",
        "",
    )
    yield from _text(
        """Each model is a layer of `constructs` with random parameters, trained by Adam with the settings of a
        preset of `scanproof train`, seeds side by side, and evaluated on 10,000 fresh tasks. Shown is the full preset,
        the sources' own settings as far as they are printed, where it was run here, and the quick one elsewhere.
        Weights, settings and versions are recorded in `numeric/studies/reproduce/results`; the tests evaluate the
        recorded weights on other tasks. The explicit learner has the step size that is best on tasks of its own; the
        distance is √(Σ‖ŷ − ŷ_learner‖² / Σ‖ŷ_learner‖²), the cosine that of sensitivities to the query. ± is the
        standard deviation over seeds, on the same tasks. Exact expected losses are on [the page of
        those](expected-losses.md).
        """
    )


def _experiment(found: Mapping[str, Any], said: Mapping[str, str]) -> Iterator[str]:
    yield from (f"## `{found['experiment']}`: {found['says']}", "")
    yield from (
        "| model | loss | explicit learner | distance | cosine | loss of 0 | steps, rate | seeds | s |",
        "|---|---|---|---|---|---|---|---|---|",
    )
    for model in found["models"]:
        yield _line(model)
    yield ""
    yield from _text(f"Preset `{found['preset']}`, {found['device']}.")
    for name, ended in found.get("diverged", {}).items():
        yield from _text(f"Training {name} diverged {ended['says']}.")
    for name, verdict in said.items():
        yield from _text(f"`identify` on the weights of the first seed of {name}: {verdict}.")
    for row in found["rows"]:
        if row in ROWS:
            yield from _text(_row(row))
    id = found["experiment"]
    yield from (f"![{found['says']}](figures/{NAME.format(id)})", "")


def _line(model: Mapping[str, Any]) -> str:
    of, settings = model["evaluation"], model["settings"]
    beside, loss = of["beside"], _loss(of)
    if of["accuracy"]:
        loss += f", {100 * of['accuracy']['mean']:.0f} % right"
        if of.get("majority"):
            loss += f" (the most frequent answer: {100 * of['majority']:.0f} %)"
    told = ("—", "—", "—")
    if beside:
        told = (
            f"{beside['loss']:.4f}, {beside['reference']}, η = {_rates(beside['step_size'])}",
            _number(beside["relative_l2"]["mean"], ".2g"),
            _number(beside["sensitivity_cosine"]["mean"], ".3f"),
        )
    cells = (
        model["name"],
        loss,
        *told,
        f"{of['zero']:.4f}",
        f"{settings['steps']}, {settings['rate']:g}",
        str(len(settings["seeds"])),
        f"{model['seconds']:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def _loss(of: Mapping[str, Any]) -> str:
    """Mean and deviation; the median too, where a few tasks on which a stack overflows make the mean."""
    mean = of["loss"]["mean"]
    if mean is not None and mean < 10 * of["zero"]:
        return f"{mean:.4f} ± {of['loss']['deviation']:.2g}"
    return f"{_number(mean, '.2g')}, median {of['median']['mean']:.2g}"


def _number(value: float | None, format: str) -> str:
    return "overflows" if value is None else f"{value:{format}}"


def _rates(value: Any) -> str:
    return (
        " and ".join(f"{one:.3g}" for one in value) if isinstance(value, list) else f"{value:.3g}"
    )


def _row(id: str) -> str:
    """What a row prints, and what is exact."""
    row = ROWS[id]
    told = [
        f"{one.says}: {one.printed or 'drawn only'}, exact {float(one.expected):.4f} for {one.of}"
        for one in row.figures()
    ]
    told += [relation.says for relation in row.relations]
    return f"**{id}** ({row.where}): " + "; ".join(told) + "."


def _text(words: str) -> list[str]:
    """A paragraph, wrapped, and an empty line."""
    return [*textwrap.wrap(" ".join(words.split()), WIDTH, break_on_hyphens=False), ""]
