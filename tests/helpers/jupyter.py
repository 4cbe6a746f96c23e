"""A JupyterLab of its own, with Notebook 7, and a notebook that is open in either."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import TimeoutError

# Every cell stays in the page, and nothing asks about news.
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": '{"windowingMode": "none"}',
    "@jupyterlab/apputils-extension/notification": '{"fetchNews": "false"}',
}
SHIPPED = Path("attnlib/widgets/jupyter.json")  # where the package is installed, Jupyter reads it as its default


@contextmanager
def running(place, shipped=True):
    """The address of a JupyterLab over `place/notebooks`, with or without the setting that the package brings."""
    (place / "notebooks").mkdir(exist_ok=True)
    for name, setting in SETTINGS.items():
        file = place / "settings" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(setting)
    defaults = place / "defaults"
    shutil.rmtree(defaults, ignore_errors=True)
    if shipped:
        (defaults / "overrides.d").mkdir(parents=True)
        shutil.copy(SHIPPED, defaults / "overrides.d/attnlib.json")
    places = {"JUPYTERLAB_SETTINGS_DIR": place / "settings", "JUPYTERLAB_WORKSPACES_DIR": place / "workspaces"}
    places |= {name: place / name for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    log = (place / "log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", "--allow-root",
         f"--notebook-dir={place / 'notebooks'}", "--IdentityProvider.token=", "--ServerApp.password=",
         f"--LabApp.app_settings_dir={defaults}", f"--JupyterNotebookApp.app_settings_dir={defaults}",
         "--LabApp.news_url=", "--expose-app-in-browser", "--JupyterNotebookApp.expose_app_in_browser=True"],
        env=os.environ | {name: str(path) for name, path in places.items()}, stdout=log, stderr=log,
    )  # fmt: skip
    try:
        yield address_of(process, place / "log")
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:  # a kernel may be busy; the test is not about how a server ends
            process.kill()
            process.wait()
        log.close()


def address_of(process, log):
    """Where the server listens, once it does."""
    for _ in range(600):
        if found := re.search(r"http://(?:localhost|127\.0\.0\.1):(\d+)/", log.read_text()):
            address = f"http://127.0.0.1:{found[1]}"
            try:
                urlopen(f"{address}/api").close()
                return address
            except OSError:
                pass
        assert process.poll() is None, log.read_text()
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(log.read_text())


# What decides whether a saved widget comes to life, to be read where none does.
WHY = """() => {
    const { content, sessionContext } = jupyterapp.shell.currentWidget;
    const { kernel } = sessionContext.session ?? {};
    const saved = content.model.getMetadata("widgets")?.["application/vnd.jupyter.widget-state+json"]?.state ?? {};
    const tables = document.querySelectorAll(".anywidget-saved").length;
    return { kernel: kernel?.status, connection: kernel?.connectionStatus, states: Object.keys(saved).length, tables };
}"""


class Notebook:
    """A notebook open in JupyterLab."""

    def __init__(self, open_page, address, name, view="lab/tree"):
        self.page = open_page(f"{address}/{view}/{name}?reset")
        self.page.set_default_timeout(240_000)
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        self.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.ready; }")

    def command(self, name):
        """Do what the menu entry of this name does, and wait until it is done."""
        self.start(name)
        self.page.wait_for_function("window.done")

    def start(self, name):
        start = (
            "(name) => { window.done = false; jupyterapp.commands.execute(name).then(() => { window.done = true; }); }"
        )
        self.page.evaluate(start, name)

    def execute(self, code):
        """Run code in a new last cell and return what it prints."""
        self.page.evaluate("document.activeElement.blur()")  # a field for text would keep the keys
        last = self.page.locator(".jp-Notebook .jp-Cell").last
        last.locator(".jp-InputPrompt").click()  # selects the cell without writing in it
        self.page.keyboard.press("b")
        self.page.keyboard.press("Enter")
        self.page.keyboard.insert_text(f"{code}\nprint('done')")
        self.command("notebook:run-cell")
        cell = self.page.locator(".jp-Notebook .jp-Cell").last
        cell.locator(".jp-OutputArea").filter(has_text="done").wait_for()
        return "".join(cell.locator(".jp-OutputArea-output").all_text_contents()).replace("done\n", "")

    def stop(self):
        """End the kernel."""
        self.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")

    def reopened(self):
        """Wait until the grid lives again; where it does not, fail with what the notebook holds."""
        try:
            self.grid.wait_for(state="attached")
        except TimeoutError as error:
            raise AssertionError(f"no widget came back: {self.page.evaluate(WHY)}") from error

    @property
    def grid(self):
        return self.page.locator(".jp-OutputArea-output .attn:has([role=grid])").first

    @property
    def errors(self):
        return self.page.locator("[data-mime-type*=error], [data-mime-type*=stderr]").all_text_contents()

    def cell(self, row, column):
        return self.grid.locator(f"[data-cell='{row},{column}']")
