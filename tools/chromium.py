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


def find() -> str | None:
    """The path of a Chromium: CHROMIUM's, one on PATH, or Playwright's own."""
    for name in filter(None, (os.environ.get("CHROMIUM"), *NAMES)):
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if os.path.exists(own) else None


def install() -> None:
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("No Chromium here: installing the distribution's package chromium.", flush=True)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=True, env=environment
        )
    else:
        print("No Chromium here: Playwright installs its own.", flush=True)
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


if __name__ == "__main__":
    if not find():
        install()
    path = find()
    if not path:
        sys.exit("No Chromium could be installed. Install one, or name it: CHROMIUM=/path/to/chromium make test")
    print(f"Browser tests use {path}")
