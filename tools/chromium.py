"""Find a Chromium for the browser tests, or install one.

    python tools/chromium.py

As root on Debian or Ubuntu it takes the distribution's package; elsewhere Playwright fetches its own.
"""

import os
import shutil
import subprocess
import sys

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGE = (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"])
PLAYWRIGHTS = ([sys.executable, "-m", "playwright", "install", "chromium"],)


def find() -> str | None:
    """The path of a Chromium: CHROMIUM's, one on PATH, or Playwright's own."""
    for name in filter(None, (os.environ.get("CHROMIUM"), *NAMES)):
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        return shutil.which(playwright.chromium.executable_path)


def install() -> None:
    """Install the distribution's package where that is allowed, else Playwright's own."""
    package = shutil.which("apt-get") and os.geteuid() == 0
    print(f"No Chromium here: installing {'a package' if package else 'Playwright’s'}.", flush=True)
    for command in PACKAGE if package else PLAYWRIGHTS:
        subprocess.run(command, check=True, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})


if __name__ == "__main__":
    if not find():
        install()
    path = find() or sys.exit("No Chromium could be installed. Install one, or name it: CHROMIUM=/path make test")
    print(f"Browser tests use {path}")
