"""The built site as a strict host serves it, and what tests and the audit do with its pages."""

import functools
import gzip
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
BELOW = "/some/where"  # not at a host's root
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:"
)
STARTED = "!document.querySelector('.has-script #scripts')"  # early.js takes them from there
PACKED = {".html", ".css", ".js", ".svg", ".json", ".xml", ".txt", ".wasm", ".zip", ".whl"}


@functools.cache
def packed(file: Path, changed: int) -> bytes:
    """A file packed with gzip, once for all who ask while it stays as it is; `changed` says when it was written."""
    return gzip.compress(file.read_bytes(), mtime=0)


class Strict(SimpleHTTPRequestHandler):
    """Serves a folder below `BELOW`, packed with gzip and under `POLICY`, as a careful host does."""

    def translate_path(self, path: str) -> str:
        below = path.removeprefix(BELOW)
        return super().translate_path(below if below != path else "/nothing here")

    def send_head(self) -> BytesIO | BinaryIO | None:
        file = Path(self.translate_path(self.path))
        if file.is_file() and file.suffix in PACKED and "gzip" in self.headers.get("Accept-Encoding", ""):
            content = packed(file, file.stat().st_mtime_ns)
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(str(file)))
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            return BytesIO(content)
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Says nothing of a browser that leaves a page before it has all of it."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def served(folder: Path = SITE) -> Iterator[str]:
    """The address at which the folder is served while the block runs."""
    with Server(("127.0.0.1", 0), functools.partial(Strict, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{BELOW}"
        finally:
            server.shutdown()


def pages(folder: Path = SITE) -> list[str]:
    """Every page of the site, relative to its root."""
    inside = [file.relative_to(folder) for file in folder.rglob("*.html")]
    return sorted(file.as_posix() for file in inside if not {"_static", "lite"} & {*file.parts})


def open_page(page: Page, address: str) -> None:
    """Open a page of the site, and wait until its scripts have run, which come once it was painted.

    Raises TimeoutError after 20 seconds.
    """
    page.goto(address)
    for _ in range(400):  # Playwright's own way is an eval, which the policy forbids
        if page.evaluate(STARTED):
            return
        page.wait_for_timeout(50)
    raise TimeoutError(f"the scripts of {address} do not come")


def scroll_through(page: Page, answers: bool = False) -> None:
    """Bring every widget near the screen once, so that it is mounted; on request with all that waits for a guess."""
    if answers:
        page.evaluate("document.documentElement.classList.add('shows-answers')")
    page.evaluate(
        """async () => {
            const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
                scrollTo({ top: y, behavior: 'instant' });
                await drawn(); // who watches for what comes near has been told
            }
            scrollTo({ top: 0, behavior: 'instant' });
        }"""
    )
