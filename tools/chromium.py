"""Find a Chromium for the browser tests, or install one.

    python tools/chromium.py

As root on Debian it takes the distribution's headless shell, which works a third less for a page than the whole browser;
elsewhere Playwright fetches its own.
"""

import os
import shutil
import subprocess
import sys

from playwright.sync_api import sync_playwright

SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGE = (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "--no-install-recommends", SHELL])
PLAYWRIGHTS = ([sys.executable, "-m", "playwright", "install", "chromium"],)


def find() -> str | None:
    """The path of a Chromium: CHROMIUM's, one on PATH, or Playwright's own."""
    for name in filter(None, (os.environ.get("CHROMIUM"), *NAMES)):
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        return shutil.which(playwright.chromium.executable_path)


def takes_packages() -> bool:
    """Whether the distribution's packages can be installed here."""
    return bool(shutil.which("apt-get")) and os.geteuid() == 0


def install() -> None:
    """Install the distribution's headless shell where that is allowed; where there is none, and no other, Playwright's."""
    try:
        run(PACKAGE if takes_packages() else PLAYWRIGHTS)
    except subprocess.CalledProcessError:
        if not find():
            run(PLAYWRIGHTS)


def run(commands: tuple[list[str], ...]) -> None:
    print(f"Installing a Chromium: {' '.join(commands[-1])}", flush=True)
    for command in commands:
        subprocess.run(command, check=True, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})


if __name__ == "__main__":
    if not find() or (takes_packages() and not (os.environ.get("CHROMIUM") or shutil.which(SHELL))):
        install()
    path = find() or sys.exit("No Chromium could be installed. Install one, or name it: CHROMIUM=/path make test")
    print(f"Browser tests use {path}")
