"""A class on a hub of this machine: everybody logs in, fetches the set, runs its first cell, works and submits.

    python bench/hub.py --students 60 --at-once 8

The hub is that of `make hub`, and does what it does in a browser, through the same addresses: the form for names and
passwords, the server's start, nbgrader's list of assignments, the notebook's kernel. Each student's server is stopped when
its student has submitted. At the end everything is collected from the exchange and compared. Needs `make hub-environment`.
"""

import argparse
import asyncio
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

import nbformat
import numpy as np
from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse
from tornado.websocket import websocket_connect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from classroom.course import Course, release  # noqa: E402
from classroom.demo.submissions import RIGHT, fill  # noqa: E402
from classroom.downloads import collect  # noqa: E402
from classroom.exchange import hand_out  # noqa: E402

SET, COURSE = "chapter_01", "attention"
WAIT = 300  # seconds, for one answer


class Student:
    """A browser: cookies, and what is asked of the hub."""

    def __init__(self, address: str, name: str, password: str) -> None:
        self.address, self.name, self.password = address, name, password
        self.cookies: dict[str, dict[str, str]] = {}  # by path
        self.seconds: dict[str, float] = {}

    @property
    def own(self) -> str:
        return f"/user/{self.name}"

    def _headers(self, path: str) -> dict[str, str]:
        kept: dict[str, str] = {}
        for place in sorted(self.cookies, key=len):
            if path.startswith(place):
                kept |= self.cookies[place]
        found = {"Cookie": "; ".join(f"{key}={value}" for key, value in kept.items())}
        return found | ({"X-XSRFToken": kept["_xsrf"]} if "_xsrf" in kept else {})

    async def ask(self, method: str, path: str, body: str | None = None, form: bool = False) -> HTTPResponse:
        """An answer, past all redirections. HTTPError for a refusal."""
        for _ in range(12):
            headers = self._headers(path.partition("?")[0])
            headers["Content-Type"] = "application/x-www-form-urlencoded" if form else "application/json"
            request = HTTPRequest(
                self.address + path, method, headers, body, follow_redirects=False, request_timeout=WAIT,
                connect_timeout=WAIT, allow_nonstandard_methods=True,
            )  # fmt: skip
            answer = await AsyncHTTPClient().fetch(request, raise_error=False)
            for line in answer.headers.get_list("Set-Cookie"):
                for key, morsel in SimpleCookie(line).items():
                    self.cookies.setdefault(morsel["path"] or "/", {})[key] = morsel.value
            if answer.code not in (301, 302, 303):
                answer.rethrow()
                return answer
            path = answer.headers["Location"].removeprefix(self.address)
            method, body = "GET", None
        raise RuntimeError(f"{self.name}: redirected without end to {path}")

    async def log_in(self) -> None:
        await self.ask("GET", "/hub/login")
        token = self._headers("/hub/")["X-XSRFToken"]
        form = {"username": self.name, "password": self.password, "_xsrf": token}
        await self.ask("POST", "/hub/login?next=%2Fhub%2Fhome", urlencode(form), form=True)

    async def start(self) -> None:
        """The student's server, until its JupyterLab answers."""
        await self.ask("POST", f"/hub/api/users/{self.name}/server", "{}")
        while (
            not json.loads((await self.ask("GET", f"/hub/api/users/{self.name}")).body)["servers"]
            .get("", {})
            .get("ready")
        ):
            await asyncio.sleep(0.5)
        await self.ask("GET", f"{self.own}/lab")

    async def nbgrader(self, action: str) -> None:
        answer = await self.ask(
            "POST", f"{self.own}/assignments/{action}", json.dumps({"assignment_id": SET, "course_id": COURSE})
        )
        if not (said := json.loads(answer.body))["success"]:
            raise RuntimeError(f"{self.name}: {action}: {said}")

    async def first_cell(self) -> nbformat.NotebookNode:
        """Open the set's notebook and run its first cell of code."""
        path = f"{self.own}/api/contents/{SET}/{SET}.ipynb"
        notebook = nbformat.from_dict(json.loads((await self.ask("GET", path)).body)["content"])
        source = next(cell.source for cell in notebook.cells if cell.cell_type == "code")
        session = {"path": f"{SET}/{SET}.ipynb", "type": "notebook", "name": "", "kernel": {"name": "python3"}}
        kernel = json.loads((await self.ask("POST", f"{self.own}/api/sessions", json.dumps(session))).body)["kernel"][
            "id"
        ]
        channels = f"{self.own}/api/kernels/{kernel}/channels"
        request = HTTPRequest(
            self.address.replace("http", "ws", 1) + channels,
            headers=self._headers(channels),
            request_timeout=WAIT,
            connect_timeout=WAIT,
        )
        socket = await websocket_connect(request)
        number = uuid.uuid4().hex
        header = {
            "msg_id": number,
            "msg_type": "execute_request",
            "session": number,
            "username": self.name,
            "version": "5.3",
        }
        content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await socket.write_message(json.dumps(message))
        while True:
            text = await asyncio.wait_for(socket.read_message(), WAIT)
            if text is None:
                raise RuntimeError(f"{self.name}: the kernel's connection was closed")
            if not isinstance(text, str):
                continue
            said = json.loads(text)
            if said["parent_header"].get("msg_id") == number and said["header"]["msg_type"] == "execute_reply":
                break
        socket.close()
        if said["content"]["status"] != "ok":
            raise RuntimeError(f"{self.name}: the first cell: {said['content']}")
        return notebook

    async def submit(self, notebook: nbformat.NotebookNode) -> None:
        """Answers of the student's own, saved and submitted."""
        answered = fill(notebook, RIGHT, {"explain-hull": f"The answer of {self.name}."})
        body = json.dumps({"type": "notebook", "format": "json", "content": answered})
        await self.ask("PUT", f"{self.own}/api/contents/{SET}/{SET}.ipynb", body)
        await self.nbgrader("submit")

    async def timed(self, what: str, step: object) -> object:
        start = time.monotonic()
        try:
            return await step  # type: ignore[misc]
        finally:
            self.seconds[what] = time.monotonic() - start

    async def work(self) -> None:
        await self.timed("login", self.log_in())
        try:
            await self.timed("server", self.start())
            await self.timed("fetching", self.nbgrader("fetch"))
            notebook = await self.timed("first cell", self.first_cell())
            await self.timed("submitting", self.submit(notebook))  # type: ignore[arg-type]
        finally:
            await self.ask("DELETE", f"/hub/api/users/{self.name}/server")
            while json.loads((await self.ask("GET", f"/hub/api/users/{self.name}")).body)["servers"]:
                await asyncio.sleep(0.5)


async def classes(students: list[Student], at_once: int) -> dict[str, str]:
    """Everybody's work, so many at once; what went wrong, by name."""
    places, failed = asyncio.Semaphore(at_once), {}

    async def one(student: Student) -> None:
        async with places:
            try:
                await student.work()
            except Exception as error:
                failed[student.name] = f"{type(error).__name__}: {error}"
            print(".", end="", flush=True)

    await asyncio.gather(*map(one, students))
    print()
    return failed


async def answers(address: str, hub: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the hub does."""
    for _ in range(240):
        if hub.poll() is not None:
            sys.exit(f"The hub ended:\n{log.read_text()[-3000:]}")
        try:
            await AsyncHTTPClient().fetch(f"{address}/hub/health")
            return
        except OSError:
            await asyncio.sleep(0.5)
        except Exception:  # the proxy is there, and the hub is not
            await asyncio.sleep(0.5)
    sys.exit(f"The hub does not answer:\n{log.read_text()[-3000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--at-once", type=int, default=8, help="how many are logged in at one time, each with a server")
    parser.add_argument("--environment", type=Path, default=ROOT / "_build/hub/environment")
    parser.add_argument("--port", type=int, default=8390, help="the first of three that the hub takes")
    chosen = parser.parse_args()
    AsyncHTTPClient.configure(None, max_clients=1000)
    with tempfile.TemporaryDirectory(prefix="hub-") as folder:
        return _measured(chosen, Path(folder))


def _measured(chosen: argparse.Namespace, data: Path) -> int:
    names = [f"student-{number:02}" for number in range(1, chosen.students + 1)]
    (data / "students.csv").write_text("\n".join(["student", *names]) + "\n")
    course = Course(data / "course")
    release(course, only=[SET])
    address, log = f"http://127.0.0.1:{chosen.port}", data / "hub.log"
    settings = {
        "HUB_TRIAL": "1",
        "HUB_DATA": str(data),
        "HUB_ADDRESS": f"127.0.0.1:{chosen.port}",
        "HUB_PORT": str(chosen.port + 1),
        "HUB_PROXY_PORT": str(chosen.port + 2),
    }
    command = [chosen.environment.resolve() / "bin/jupyterhub", "-f", ROOT / "deploy/hub/jupyterhub_config.py"]
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "JUPYTER_PATH")}
    with log.open("wb") as file:
        hub = subprocess.Popen(command, env=clean | settings, stdout=file, stderr=subprocess.STDOUT, cwd=data)
    try:
        asyncio.run(answers(address, hub, log))
        hand_out(course, SET, data / "exchange")
        with (data / "passwords.csv").open() as sheet:
            students = [Student(address, row["student"], row["password"]) for row in csv.DictReader(sheet)]
        start = time.monotonic()
        failed = asyncio.run(classes(students, chosen.at_once))
        whole = time.monotonic() - start
    finally:
        hub.terminate()
        hub.wait()
        if os.environ.get("HUB_LOG"):
            shutil.copy(log, os.environ["HUB_LOG"])
    said = collect(course, SET, data / "exchange")
    wrong = [name for name in names if name not in failed and not _arrived(course, name)]
    print(f"{len(names)} students, {chosen.at_once} at once, {whole:.0f} s; collected: {said[0]}")
    for what in ("login", "server", "fetching", "first cell", "submitting"):
        found = [student.seconds[what] for student in students if what in student.seconds]
        if found:
            p50, p95 = np.percentile(found, [50, 95])
            print(f"{what:12} p50 {p50:6.2f} s   p95 {p95:6.2f} s   most {max(found):6.2f} s")
    for name, reason in failed.items():
        print(f"{name} failed: {re.sub(r'token=[^&]*', 'token=…', reason)}")
    for name in wrong:
        print(f"{name}: what was collected is not what was submitted")
    return 1 if failed or wrong else 0


def _arrived(course: Course, name: str) -> bool:
    file = course.folder / "submitted" / name / SET / f"{SET}.ipynb"
    return file.exists() and f"The answer of {name}." in file.read_text()


if __name__ == "__main__":
    sys.exit(main())
