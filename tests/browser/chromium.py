"""Where Chromium is on this machine, and how to get one; it never starts it.

``python tests/browser/chromium.py`` makes sure that there is one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLACES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",)
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MISSING = (
    "The browser tests need Chromium, and none was found or could be installed. "
    "Install one and say where it is: NEPHELE_CHROMIUM=/path/to/chromium make test"
)


def flags() -> list[str]:
    """Return how Chromium is started; root needs the sandbox off."""
    return [*FLAGS, "--no-sandbox"] if is_root() else FLAGS


def is_root() -> bool:
    """Tell whether this process is the superuser's."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def find() -> str | None:
    """Return the machine's own Chromium, or None; raises FileNotFoundError if NEPHELE_CHROMIUM names no file."""
    named = os.environ.get("NEPHELE_CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise FileNotFoundError(f"NEPHELE_CHROMIUM={named} is not a file; name the browser's executable.")
        return named
    found = (shutil.which(name) for name in NAMES)
    return next((path for path in (*found, *PLACES) if path and Path(path).is_file()), None)


def find_bundled() -> str | None:
    """Return the browser that playwright has downloaded, or None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def install() -> bool:
    """Try the ways to get a browser on this machine, the quiet one first; returns whether one worked."""
    debian = Path("/etc/debian_version").exists() and "ubuntu" not in Path("/etc/os-release").read_text().lower()
    ways = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if debian and is_root() and shutil.which("apt-get"):
        packages = ["apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-noto-cjk"]
        ways = [["sh", "-c", f"apt-get update -q && DEBIAN_FRONTEND=noninteractive {' '.join(packages)}"], *ways]
    return any(succeeds(way) for way in ways)


def succeeds(command: list[str]) -> bool:
    """Run a command, at most ten minutes; returns whether it worked."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, timeout=600, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> int:
    """Make sure that there is a browser, and say which."""
    try:
        path = find() or find_bundled() or (install() and (find() or find_bundled()))
    except FileNotFoundError as error:
        print(error)  # noqa: T201
        return 1
    print(f"Chromium: {path}" if path else MISSING)  # noqa: T201
    return 0 if path else 1


if __name__ == "__main__":
    raise SystemExit(main())
