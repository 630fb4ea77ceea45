"""Sphinx' settings; `python docs/_site` gives it the folder of pages, and what the ledger holds.

Where the site will stand, its address in SCANPROOF_URL makes cards' pictures found from elsewhere.
"""

import json
import os
import sys
from importlib.metadata import metadata
from pathlib import Path

_made = json.loads(Path("ledger.json").read_text(encoding="utf-8"))
HERE = Path(_made["root"], "docs", "_site")
sys.path.insert(0, str(HERE.parent))

project = "scanproof"
author = "The scanproof authors"
copyright = author
version = release = _made["version"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "_site.extension"]
root_doc = "index"
exclude_patterns = ["counts.md", "maps.md"]  # parts of the first page and of the map
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!scanproof\.[A-Za-z]+$).*")
]  # types that are not public names
myst_enable_extensions = ["attrs_inline", "html_admonition", "html_image"]
myst_fence_as_directive = ["math", "mermaid"]
myst_heading_anchors = 3
myst_url_schemes = ["http", "https", "mailto", "source"]
suppress_warnings = ["myst.header"]  # generated pages go from a title to what is folded below it
default_role = "code"  # as docstrings mean it
highlight_language = "text"
smartquotes = False  # a quoted word in a docstring may be code
autodoc_typehints = "signature"
html_theme = "furo"
html_title = "scanproof"
html_baseurl = os.environ.get("SCANPROOF_URL", "")
html_math_renderer = "mathml"
html_static_path = [str(HERE / "static")]
SCRIPTS = ("filter.js", "map.js", "check.js", "folds.js", "copy.js", "previews.js")
html_favicon = str(HERE / "static" / "favicon.svg")
html_css_files = ["site.css"]
html_js_files = [(name, {"defer": "defer"}) for name in SCRIPTS]
html_copy_source = html_show_sourcelink = False
html_show_copyright = html_show_sphinx = False
html_use_index = html_show_search_summary = False  # summaries would be fetched
scanproof_names = _made["names"]
scanproof_claims = _made["claims"]
scanproof_about = metadata("scanproof")["Summary"]
scanproof_said = _made["said"]
scanproof_orders = _made["orders"]
scanproof_sources = _made["sources"]
