"""The site as it was built: each claim has its page, links lead somewhere, and a browser finds nothing to complain of.

`make test-docs` builds it and says where it is; without that these tests are skipped.
"""

import json
import os
import re
import struct
import tomllib
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = os.environ.get("SCANPROOF_SITE")
SITE = Path(NAMED or ROOT / "build" / "site").resolve()
pytestmark = pytest.mark.skipif(
    NAMED is None, reason="`make test-docs` builds the site and tries it"
)

KINDS = {
    "start": "index.html",
    "refuted": "claims/gd-ssm.prop1-construction.html",
    "proved": "claims/gril.prop4.1.html",
    "longest": "claims/ssd.thm5.1.html",
    "not-checkable": "claims/ch9.thm9.1.html",
    "dashboard": "sources/gd-ssm.html",
    "errata": "errata/gd-ssm.html",
    "answers": "answers/open.html",
    "folded": "claims/mamba2.gd.html",
    "map": "map.html",
    "all": "claims/index.html",
    "rests-on": "rests-on.html",
    "text": "docs/proved.html",
    "api": "api.html",
    "search": "search.html",
    "source": "source/constructs/layers/gril.py.html",
    "gallery": "docs/gallery/README.html",
}
"""A page of each kind."""
SCREENS = {
    f"{name}-{scheme}": (width, scheme)
    for name, width in (("desktop", 1280), ("phone", 390))
    for scheme in ("light", "dark")
}


class Page(HTMLParser):
    """A page's links, the names of its places, and whether it has MathML."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.tags: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            if name in ("href", "src", "xlink:href") and value:
                self.links.append(value)


@cache
def page(path: Path) -> Page:
    return Page(path)


@cache
def report() -> dict[str, Any]:
    return json.loads((SITE / "report.json").read_text(encoding="utf-8"))


def text_of(path: Path) -> str:
    return re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8"))


def test_every_claim_has_its_page_with_the_verdict_of_the_report():
    claims = report()["claims"]
    assert len(claims) > 200
    for claim in claims:
        shown = (SITE / "claims" / f"{claim['id']}.html").read_text(encoding="utf-8")
        badges = re.findall(r'<span class="verdict ([^"]*)">', shown)
        statements = [claim["as_stated"], *claim["amended"]]
        assert [badge.split()[0] for badge in badges] == [s["verdict"] for s in statements], claim[
            "id"
        ]
        fixed = [s["verdict"] == "proved" and s["scope"] == "fixed-size" for s in statements]
        assert ["fixed" in badge.split() for badge in badges] == fixed, claim["id"]


def test_what_is_proved_for_all_sizes_shows_its_formulas_as_mathml():
    for claim in report()["claims"]:
        ways = {e["method"] for e in claim["as_stated"]["evidence"] if e["engine"] == "kernel"}
        if ways & {"induction", "normal-form"}:
            path = SITE / "claims" / f"{claim['id']}.html"
            assert "math" in page(path).tags, path


def test_every_proof_for_all_sizes_has_its_derivation_from_the_certificate():
    missing = []
    for claim in report()["claims"]:
        every = [claim["as_stated"], *claim["amended"]]
        proved = [s for s in every if s["verdict"] == "proved" and s["scope"] == "all-sizes"]
        text = text_of(SITE / "claims" / f"{claim['id']}.html")
        shown = text.count("with the equation after every step")
        if shown < len(proved):
            missing.append((claim["id"], len(proved), shown))
    assert not missing, missing


def test_an_argument_about_limits_has_a_line_for_each():
    claims = {c["id"]: c for c in report()["claims"]}
    entries = claims["ssd.thm5.1"]["as_stated"]["evidence"]
    steps = next(entry["steps"] for entry in entries if entry["method"] == "limit")
    text = (SITE / KINDS["longest"]).read_text(encoding="utf-8")
    argument = text.partition("Why nothing comes near it")[2].partition("</ol>")[0]
    assert argument.count("<li>") == len(steps) >= 10
    assert 'href="#amended-printed-line"' in text


def test_commands_of_a_page_are_ones_that_the_command_line_takes():
    from scanproof.numeric.export import targets
    from scanproof.numeric.export.parts import Request
    from scanproof.numeric.export.request import build, checked
    from scanproof.numeric.run import rows

    ids = {s["id"] for c in report()["claims"] for s in (c["as_stated"], *c["amended"])}
    commands = {
        line
        for path in (SITE / "claims").glob("*.html")
        for line in text_of(path).splitlines()
        if line.startswith("scanproof ")
    }
    assert len(commands) > 500
    for line in commands:
        _, what, id, *options = line.split()
        assert id in ids, line
        if what == "run":
            assert rows.find(id)[1] == "proved", line
        elif what == "export":
            given = dict(zip(options[::2], options[1::2], strict=True))
            request = Request(
                id, features=int(given["--features"]), examples=int(given["--examples"])
            )
            assert given["--target"] in targets.for_family(build(checked(request)).family), line


def test_errata_are_of_authors_and_answers_of_questions_of_our_own():
    for name, source in report()["sources"].items():
        fails = any(
            c["as_stated"]["verdict"] == "refuted"
            for c in report()["claims"]
            if c["source"] == name
        )
        own = source.get("own", False)
        assert (SITE / "errata" / f"{name}.html").is_file() == (fails and not own), name
        assert (SITE / "answers" / f"{name}.html").is_file() == (fails and own), name


RAW = re.compile(r"\w+Error\b|symbolic size|kernel arrays|was asked at|has no attribute|to unpack")


def test_no_page_of_a_claim_shows_what_a_program_raised():
    for path in [*(SITE / "claims").glob("*.html"), SITE / "rests-on.html"]:
        html = path.read_text(encoding="utf-8")
        article = html[html.index("<article") : html.index("</article")]
        shown = re.sub(r"(?s)<details>.*?</details>|<pre\b.*?</pre>", "", article)
        assert not RAW.search(re.sub(r"<[^>]+>", "", shown)), path


def test_every_link_leads_to_a_page_and_a_place_on_it():
    broken = []
    for path in sorted(SITE.rglob("*.html")):
        for link in page(path).links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not target.is_file() or (
                place and target.suffix == ".html" and place not in page(target).places
            ):
                broken.append((path.name, link))
    assert not broken, broken[:20]


LOADED = re.compile(
    r'(?:<script[^>]*src|<link[^>]*rel="stylesheet"[^>]*href|<img[^>]*src)="(http[^"]*)'
)


def test_nothing_is_loaded_from_elsewhere():
    for path in SITE.rglob("*.html"):
        found = LOADED.findall(path.read_text(encoding="utf-8"))
        assert not found, (path, found)


def test_five_questions_are_answered_one_link_from_the_start():
    start = page(SITE / "index.html").links
    answers = {
        "claims/gd-ssm.prop1-construction.html": "the state sums up minus the gradient",
        "claims/gril.prop4.1.html": "by induction on t",
        "rests-on.html": "d exp(z) = exp(z) dz",
        "docs/ci.html": "uses: OWNER/scanproof@v1",
        "docs/export.html": "transformers.Mamba2ForCausalLM.from_pretrained",
    }
    for target, answer in answers.items():
        assert any(link.split("#")[0] == target for link in start), target
        assert answer in text_of(SITE / target), target


def test_public_mistakes_stand_first_in_the_navigation_and_have_a_section_for_each_kind():
    start = (SITE / "index.html").read_text(encoding="utf-8")
    sidebar = start[start.index('class="sidebar-tree"') :]
    assert re.search(r'href="([^"#]+\.html)"', sidebar)[1] == "docs/gallery/README.html"
    kinds = tomllib.loads((ROOT / "docs" / "gallery" / "kinds.toml").read_text(encoding="utf-8"))
    text = (SITE / "docs" / "gallery" / "README.html").read_text(encoding="utf-8")
    titles = [re.sub(r"<[^>]+>", "", title) for title in re.findall(r"<h2>(.*?)<a", text)]
    assert titles[: len(kinds)] == [name.capitalize() for name in kinds]


def test_every_page_has_a_card_with_its_title_its_words_and_a_picture():
    for path in SITE.rglob("*.html"):
        if ".lines-" in path.name:
            continue
        cards = dict(re.findall(r'<meta property="([^"]*)" content="([^"]*)">', path.read_text()))
        assert cards["og:title"] and cards["og:description"], path
        assert (path.parent / cards["og:image"]).resolve() == SITE / "_static" / "card.png", path
    start = (SITE / "_static" / "card.png").read_bytes()
    assert start[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", start[16:24]) == (1200, 630)


# In a browser.


@pytest.fixture
def opened(browser, request) -> Iterator[Any]:
    """Opens a page of the site on a screen; what it complains of, and asks of others, is kept."""
    contexts = []

    def visit(name: str, screen: str, javascript: bool = True, query: str = "") -> Any:
        width, scheme = SCREENS[screen]
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=javascript,
        )
        contexts.append(context)
        tab = context.new_page()
        tab.complaints = []
        tab.on(
            "console", lambda m: m.type in ("error", "warning") and tab.complaints.append(m.text)
        )
        tab.on("pageerror", lambda e: tab.complaints.append(str(e)))
        tab.on("request", lambda r: r.url.startswith("http") and tab.complaints.append(r.url))
        tab.goto((SITE / name).as_uri() + query)
        return tab

    yield visit
    for context in contexts:
        context.close()


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", KINDS.values(), ids=KINDS)
def test_a_page_is_quiet_legible_in_order_and_no_wider_than_the_screen(name, screen, opened):
    tab = opened(name, screen)
    assert tab.complaints == []
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe = ROOT / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.is_file():
        pytest.skip("axe-core is not installed: `make docs` installs it")
    tab.evaluate("document.querySelectorAll('details').forEach((one, k) => (one.open = k < 2))")
    tab.add_script_tag(path=str(axe))
    rules = [
        "color-contrast",
        "heading-order",
        "image-alt",
        "link-name",
        "scrollable-region-focusable",
    ]
    found = tab.evaluate(
        "rules => axe.run('article, [role=main]', {runOnly: {type: 'rule', values: rules}})", rules
    )
    wrong = [(v["id"], [n["html"][:120] for n in v["nodes"][:3]]) for v in found["violations"]]
    assert not wrong, wrong


def test_the_keyboard_reaches_search_links_and_folded_steps(opened):
    tab = opened(KINDS["refuted"], "desktop-light")
    seen = set()
    for _ in range(120):
        tab.keyboard.press("Tab")
        seen.add(tab.evaluate("document.activeElement.tagName"))
    assert {"INPUT", "A", "SUMMARY"} <= seen
    tab.locator("article summary").first.focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.querySelector('article details').open")


@pytest.mark.parametrize(
    ("words", "id"),
    [
        ("one-step+prediction", "gd-ssm.prop1-construction"),
        ("multiplicative+readout", "gril.prop4.1"),
        ("sliding+window", "gril.w3-minimal"),
        ("mini-batch", "ssd.thm5.2"),
        ("zero-order+hold", "ch9.zoh"),
    ],
)
def test_search_finds_a_claim_by_its_words_and_by_the_source_s(opened, words, id):
    tab = opened("search.html", "desktop-light", query=f"?q={words}")
    tab.wait_for_selector(f'#search-results li a[href*="claims/{id}"]')
    assert tab.complaints == []


def test_filters_leave_the_claims_of_a_verdict(opened):
    tab = opened("claims/index.html", "desktop-light")
    every = tab.locator("tbody tr").count()
    tab.locator(".filters select").first.select_option("unknown")
    left = tab.locator("tbody tr:visible")
    assert 0 < left.count() < every
    assert set(left.locator(".verdict").all_text_contents()) == {"unknown"}


def test_a_search_on_the_map_leaves_what_it_names_and_enter_brings_it_into_view(opened):
    tab = opened("map.html", "desktop-light")
    tab.locator("input[placeholder='id or title']").fill(
        "one step of gradient descent in one gril layer"
    )
    shown = "[...document.querySelectorAll('g.claim:not(.dimmed) title')].map(t => t.textContent)"
    assert set(tab.evaluate(shown)) == {"gril.prop4.1"}
    tab.keyboard.press("Enter")
    found = tab.locator("g.claim.found").first
    tab.wait_for_function(
        "node => { const box = node.getBoundingClientRect(); return box.y > 0 && box.bottom < innerHeight }",
        arg=found.element_handle(),
    )


def test_the_map_can_be_read_at_its_actual_size_and_is_zoomed_and_dragged(opened):
    tab = opened("map.html", "desktop-dark")
    one = tab.locator(".map").first
    assert tab.evaluate("document.querySelector('.map text').getBoundingClientRect().height") >= 11
    width = "one => one.querySelector('svg').getBoundingClientRect().width"
    before = one.evaluate(width)
    tab.locator(".zoom").first.get_by_text("+").click()
    assert one.evaluate(width) > 1.2 * before
    for _ in range(5):
        tab.locator(".zoom").first.get_by_text("+").click()
    at, box = one.evaluate("one => one.scrollLeft"), one.bounding_box()
    tab.mouse.move(box["x"] + 300, box["y"] + 100)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 200, box["y"] + 80, steps=4)
    tab.mouse.up()
    assert abs(one.evaluate("one => one.scrollLeft") - at - 100) <= 2
    assert tab.url.endswith("map.html")


def test_on_a_phone_the_map_is_a_list_of_all_claims(opened):
    tab = opened("map.html", "phone-dark")
    assert tab.locator(".map:visible").count() == 0
    listed = tab.locator(".map-list li:visible")
    assert listed.count() == len(report()["claims"])


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_a_linked_claim_is_previewed_with_its_title_verdict_and_words(opened, way):
    tab = opened("index.html", "desktop-light")
    link = tab.locator('article a.claim[href$="gd-ssm.prop1-construction.html"]').first
    if way == "mouse":
        link.hover()
    else:
        link.evaluate("one => one.focus({focusVisible: true})")
    card = tab.locator("#preview")
    card.wait_for(state="visible")
    claim = next(c for c in report()["claims"] if c["id"] == "gd-ssm.prop1-construction")
    shown = " ".join(card.text_content().split())
    assert "The printed weights for one step with scalar targets" in shown
    assert card.locator(".verdict.refuted").text_content() == "refuted"
    assert " ".join(claim["as_stated"]["statement"].split()) in shown
    assert link.get_attribute("aria-describedby") == "preview"
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1280 and box["y"] + box["height"] <= 900
    tab.keyboard.press("Escape")
    card.wait_for(state="hidden")
    assert tab.complaints == []


def test_claims_of_a_source_follow_each_other(opened):
    ids = [c["id"] for c in report()["claims"] if c["source"] == "gril"]
    tab = opened(f"claims/{ids[3]}.html", "desktop-light")
    for which, id in (("prev", ids[2]), ("next", ids[4])):
        assert tab.locator(f"a.{which}-page").get_attribute("href") == f"{id}.html"


def test_no_page_is_heavy_and_what_it_folds_is_loaded(opened, served):
    sizes = {str(path.relative_to(SITE)): path.stat().st_size for path in SITE.rglob("*.html")}
    assert {name: size for name, size in sizes.items() if size > 400_000} == {}
    heavy = next(
        path
        for path in sorted((SITE / "claims").glob("*.html"))
        if 'class="rest"' in path.read_text()
    )
    tab = opened(f"claims/{heavy.name}", "desktop-light")
    assert "lines-" in tab.locator("a.rest").first.get_attribute(
        "href"
    )  # from a file it stays a link
    tab.goto(f"{served}/claims/{heavy.name}")
    links, folds = (tab.locator(one).count() for one in ("a.rest", "details"))
    tab.evaluate("document.querySelector('a.rest').closest('details').open = true")
    tab.wait_for_function(
        "([links, folds]) => document.querySelectorAll('a.rest').length < links"
        " && document.querySelectorAll('details').length > folds",
        arg=[links, folds],
    )


def test_without_javascript_all_claims_and_steps_are_there(opened):
    tab = opened(KINDS["refuted"], "desktop-light", javascript=False)
    tab.locator("article summary").first.click()
    assert tab.locator("article details pre").first.is_visible()
    tab = opened("claims/index.html", "desktop-light", javascript=False)
    assert tab.locator("tbody tr").count() == len(report()["claims"])
