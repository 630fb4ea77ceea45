"""The site that was built, Chromium, and a server on this machine for what a browser does not do from a file."""

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)


@pytest.fixture(scope="session")
def site() -> Path:
    """Its folder."""
    named = os.environ.get("SCANPROOF_SITE")
    if named is None:
        pytest.skip("`make test-docs` builds the site and tries it")
    return Path(named).resolve()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium."""
    if not CHROMIUM:
        pytest.skip("there is no Chromium: apt-get install chromium")
    play = pytest.importorskip("playwright.sync_api")
    with play.sync_playwright() as found:
        one = found.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield one
        one.close()


class Quiet(SimpleHTTPRequestHandler):
    """What `make docs-serve` runs, without a line for each request."""

    def log_message(self, *given: Any) -> None:
        pass


@pytest.fixture(scope="session")
def served(site) -> Iterator[str]:
    """The site's address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
