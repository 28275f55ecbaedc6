"""A real JupyterLab on loopback and a notebook open in it; it knows nothing of nephele_nb."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import nbformat
from playwright.sync_api import Locator, Page, expect

from tests.browser.chromium import is_root

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / ".pictures"
TOKEN = "loopback-tests-only"
PATIENCE_S = 90.0
QUIET = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
KERNEL_STATUS = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status"
RUN_CELL = """async ([index, wait]) => {
    const { commands, shell } = window.jupyterapp;
    shell.currentWidget.content.activeCellIndex = index;
    const done = commands.execute("notebook:run-cell");
    if (wait) await done;
}"""
ADD_CELL = """(source) => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.model.sharedModel.addCell({ cell_type: "code", source });
    return notebook.widgets.length - 1;
}"""
EXECUTE = "([command, args]) => window.jupyterapp.commands.execute(command, args)"


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Lab:
    """One JupyterLab server with folders of its own; ``root`` holds its notebooks."""

    _sign = "api/status"
    """What answers once the server is up."""

    def __init__(self, folder: Path, environ: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.url = f"http://127.0.0.1:{free_port()}"
        self.log = folder / "server.log"
        self._environ = environ or {}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers; raises RuntimeError with its log if it doesn't."""
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("NEPHELE_", "OPENAI_"))} | self._folders()
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environ | self._environ,
                cwd=self.folder,
            )
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{type(self).__name__} did not start:\n{self.log.read_text()}")
            time.sleep(0.2)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the server and its kernels."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def end_kernels(self) -> None:
        """End every kernel of the server."""
        with urllib.request.urlopen(self._address("api/kernels"), timeout=30) as reply:
            kernels = json.load(reply)
        for kernel in kernels:
            request = urllib.request.Request(self._address(f"api/kernels/{kernel['id']}"), method="DELETE")
            urllib.request.urlopen(request, timeout=60).close()

    def write(self, name: str, cells: Iterable[str]) -> str:
        """Write a notebook of code cells into the server's folder; returns its name."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(notebook, self.root / name)
        return name

    def saved(self, name: str) -> dict[str, Any]:
        """Return a notebook as it stands on disk, split strings joined."""
        return dict(nbformat.read(self.root / name, as_version=4))

    def _command(self) -> list[str]:
        return [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--expose-app-in-browser"),
            *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={self.url.rpartition(':')[2]}"),
            *("--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={self.root}"),
            *(["--allow-root"] if is_root() else []),
        ]

    def _folders(self) -> dict[str, str]:
        places = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
            "NEPHELE_HOME": "home",
        }
        folders = {name: self.folder / place for name, place in places.items()}
        overrides = folders["JUPYTER_CONFIG_DIR"] / "labconfig" / "default_setting_overrides.json"
        for folder in (*folders.values(), self.root, overrides.parent):
            folder.mkdir(parents=True, exist_ok=True)
        overrides.write_text(json.dumps(QUIET))
        return {name: str(folder) for name, folder in folders.items()}

    def _address(self, path: str) -> str:
        return f"{self.url}/{path}?token={TOKEN}"

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self._address(self._sign), timeout=5) as reply:
                return bool(reply.status == 200)
        except (urllib.error.URLError, OSError):
            return False


class Notebook:
    """A notebook open in the browser; clicks are the person's, the rest goes by JupyterLab's own commands."""

    def __init__(self, page: Page, lab: Lab, name: str) -> None:
        self.page = page
        self.lab = lab
        self.name = name

    def open(self) -> Notebook:
        """Open the notebook, alone, and wait for its kernel."""
        self.page.goto(f"{self.lab.url}/lab/tree/{self.name}?token={TOKEN}&reset")
        return self._ready()

    def reload(self) -> Notebook:
        """Load the page again, as a person would; the kernel may be busy."""
        self.page.reload()
        return self._ready(idle=False)

    def cell(self, index: int) -> Locator:
        """Return a cell, counted from 0."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def output(self, index: int) -> Locator:
        """Return the outputs of a cell, without their prompts."""
        return self.cell(index).locator(".jp-OutputArea-output")

    def prompt(self, index: int) -> Locator:
        """Return what stands beside a code cell: its number, or a star while it runs."""
        return self.cell(index).locator(".jp-InputPrompt")

    def add(self, source: str) -> int:
        """Add a code cell at the end; returns its number."""
        return int(self.page.evaluate(ADD_CELL, source))

    def run(self, index: int, *, wait: bool = True) -> None:
        """Run a cell; without ``wait`` come back while it runs."""
        self.page.evaluate(RUN_CELL, [index, wait])
        if wait:
            self.wait_idle()

    def wait_idle(self) -> None:
        """Wait until the kernel says that it is idle."""
        self.page.wait_for_function(f"({KERNEL_STATUS}) === 'idle'", timeout=PATIENCE_S * 1000)

    def restart_kernel(self) -> None:
        """Restart the kernel and wait until the new one is there."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
        self.wait_idle()

    def save(self) -> dict[str, Any]:
        """Save the notebook; returns the file's content."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        return self.lab.saved(self.name)

    def execute(self, command: str, **args: Any) -> None:
        """Execute a command of JupyterLab's, as a menu would."""
        self.page.evaluate(EXECUTE, [command, args])

    def picture(self, name: str) -> Path:
        """Photograph the page into the git-ignored folder of pictures."""
        PICTURES.mkdir(exist_ok=True)
        path = PICTURES / f"{name}.png"
        self.page.screenshot(path=path)
        return path

    def _ready(self, *, idle: bool = True) -> Notebook:
        expect(self.cell(0)).to_be_visible(timeout=PATIENCE_S * 1000)
        self.page.wait_for_function(f"({KERNEL_STATUS}) !== undefined", timeout=PATIENCE_S * 1000)
        if idle:
            self.wait_idle()
        return self
