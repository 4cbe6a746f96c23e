"""What the Python of a page is made of: Pyodide's files, the wheels of its lock, a library of pure Python, a manifest.

The wheels are the release's, each held to the sha256 in Pyodide's lock. A folder may hold others of the same binary
interface: they are used, and named in the manifest as `foreign`.
"""

import base64
import hashlib
import http.client
import io
import json
import os
import shutil
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version
from platformdirs import user_cache_path

RELEASE = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"  # the address that Pyodide's documentation names
CORE = ("pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK, LIBRARY, MANIFEST = "pyodide-lock.json", "library.zip", "manifest.json"
SILENCE, WHOLE = 5, 120  # seconds: how long the network may say nothing, and how long one wheel may take
APART = {"__pycache__", "labextension", "nbextension", "tests"}  # folders of a package that no page needs
COMPILED = {".dll", ".dylib", ".pyc", ".pyd", ".pyi", ".so"}  # for the build's own Python, or for no Python
SCRIPTS = {".css", ".js", ".mjs"}  # of the front end, which the page has: here it is enough that they are there
SAYS_WHOSE = ("AUTHORS", "COPYING", "LICENCE", "LICENSE", "NOTICE")
NOTICE = """\
Pyodide {version}: Python for browsers, in these files: {files}.

Pyodide is under the Mozilla Public License 2.0, https://mozilla.org/MPL/2.0/
Its source, unchanged here: https://github.com/pyodide/pyodide/tree/{version}

It holds CPython, Copyright (c) 2001 Python Software Foundation, all rights reserved, under the PSF License Agreement,
https://docs.python.org/3/license.html, where the licences of what CPython itself brings stand too, and is compiled with
Emscripten, https://github.com/emscripten-core/emscripten/blob/main/LICENSE (MIT and University of Illinois/NCSA).

Each wheel (.whl) holds its own licence, and {library}, a folder above, those of the packages in it.
"""


class Missing(Exception):
    """A wheel is not to be had; the text says why."""


@dataclass(frozen=True)
class Manifest:
    """What `manifest.json` says."""

    pyodide: str
    version: str
    files: list[dict[str, Any]]
    packages: list[str]
    library: str
    later: list[str]
    missing: list[str]
    foreign: list[str]


def write(
    out: Path,
    packages: Sequence[str] = ("numpy",),
    later: Sequence[str] = (),
    library: Sequence[str] = (),
    missing: Sequence[str] = (),
    *,
    root: Path = Path(),
    wheels: Path | None = None,
    base: str = RELEASE,
    cache: Path | None = None,
    say: Callable[[str], None] = print,
) -> Manifest | None:
    """Write `out/pyodide/`, `out/library.zip` and `out/manifest.json`, and touch nothing else in `out`; give the manifest.

    None, with the reason in one line to `say`, when there can be no Python in the pages: then none of it lies in `out`.
    Call it at every build, before pages are read: what did not change is not written again.

    `packages` of Pyodide's lock are loaded at the start, those `later` when a cell first imports them; both bring what
    they depend on. `library` names modules as this Python has them, or as paths below `root`: `["traitlets",
    "chapters/posters"]`; this package comes along. `missing` names the modules that no page has, such as `["torch"]`;
    the manifest adds what of `later` was not to be had. Pyodide lies in `root/node_modules`.

    The wheels lie in the folder `wheels` (else that which PYTHON_WHEELS names), or come over the network from `base`
    and stay in the folder `cache` (else that which PYODIDE_CELLS_CACHE names, else one in the user's cache).

    Raises ValueError for a package that the lock has not, or a module of the library that is nowhere.
    """
    try:
        source = Wheels.of(root, wheels, base, cache, say)
        files = {f"pyodide/{name}": (source.pyodide / name).read_bytes() for name in CORE}
        found = {name: source.find(name) for name in source.closure(packages)}
    except Missing as reason:
        say(f"The pages show their code without Python: {reason}.")
        _remove(out)
        return None
    had = []
    for package in later:
        try:
            found |= {name: source.find(name) for name in source.closure([package])}
            had.append(package)
        except Missing as reason:
            say(f"The Python of the pages has no {package}: {reason}.")
            missing = [*missing, *source.packages[package]["imports"]]
    files |= {f"pyodide/{wheel.file}": wheel.data for wheel in found.values()}
    files[f"pyodide/{LOCK}"] = _json(source.lock(found))
    notice = NOTICE.format(version=source.version, files=", ".join(CORE), library=LIBRARY)
    files["pyodide/LICENSE.txt"] = notice.encode()
    return _written(
        out,
        files,
        dict(_members([*library, "pyodide_cells"], root)),
        first=[*CORE, LOCK, *(found[name].file for name in source.closure(packages))],
        pyodide=source.version,
        packages=list(packages),
        later=had,
        missing=list(missing),
        foreign=sorted(name for name, wheel in found.items() if wheel.foreign),
    )


def _written(
    out: Path, files: dict[str, bytes], members: Mapping[str, bytes], first: Iterable[str], **fields: Any
) -> Manifest:
    """Write the files and the manifest, unless they are there as they are."""
    version = _digest({**files, **{f"{LIBRARY}/{name}": data for name, data in members.items()}, "": _json(fields)})
    old = _read(out)
    if old and old.version == version:
        return old
    files[LIBRARY] = packed(members)
    listed = [*(f"pyodide/{name}" for name in first), LIBRARY]
    manifest = Manifest(version=version, files=[_entry(url, files[url]) for url in listed], library=LIBRARY, **fields)
    (out / MANIFEST).unlink(missing_ok=True)  # a write that is cut short is no runtime
    for file in (out / "pyodide").glob("*"):
        if f"pyodide/{file.name}" not in files:
            file.unlink()
    (out / "pyodide").mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (out / name).write_bytes(data)
    (out / MANIFEST).write_bytes(_json(asdict(manifest)))
    return manifest


def _read(out: Path) -> Manifest | None:
    """The manifest of an earlier build, if its files are all there."""
    try:
        manifest = Manifest(**json.loads((out / MANIFEST).read_bytes()))
        lock = json.loads((out / "pyodide" / LOCK).read_bytes())
        wheels = [out / "pyodide" / entry["file_name"] for entry in lock["packages"].values()]
        same = all((out / one["url"]).stat().st_size == one["bytes"] for one in manifest.files)
    except (OSError, TypeError, ValueError, KeyError):
        return None
    return manifest if same and all(wheel.exists() for wheel in wheels) else None


def _remove(out: Path) -> None:
    """Take away what an earlier build wrote."""
    shutil.rmtree(out / "pyodide", ignore_errors=True)
    for name in (LIBRARY, MANIFEST):
        (out / name).unlink(missing_ok=True)


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _digest(files: Mapping[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name, data in sorted(files.items()):
        whole.update(f"{name}\0{len(data)}\0".encode() + data)
    return whole.hexdigest()[:16]


def _entry(url: str, data: bytes) -> dict[str, Any]:
    integrity = base64.b64encode(hashlib.sha256(data).digest()).decode()
    return {"url": url, "bytes": len(data), "integrity": f"sha256-{integrity}"}


@dataclass(frozen=True)
class Wheel:
    """A wheel as the pages get it; `foreign` when it is not the release's."""

    file: str
    data: bytes = field(repr=False)
    foreign: bool = False


@dataclass
class Wheels:
    """The wheels of a Pyodide: from a folder, or from the network by way of a cache."""

    pyodide: Path
    version: str
    info: dict[str, str]
    packages: dict[str, dict[str, Any]]
    folder: Path | None
    base: str
    cache: Path
    say: Callable[[str], None] = print
    down: str = ""  # what the network said when it failed: it is not asked again

    @classmethod
    def of(
        cls,
        root: Path = Path(),
        folder: Path | None = None,
        base: str = RELEASE,
        cache: Path | None = None,
        say: Callable[[str], None] = print,
    ) -> "Wheels":
        """The wheels of the Pyodide in `root/node_modules`; the other arguments as `write` has them."""
        pyodide = root / "node_modules/pyodide"
        if absent := [name for name in (LOCK, "package.json", *CORE) if not (pyodide / name).exists()]:
            raise Missing(f"{pyodide / absent[0]} is missing (`npm ci` brings it)")
        version = json.loads((pyodide / "package.json").read_bytes())["version"]
        lock = json.loads((pyodide / LOCK).read_bytes())
        folder = folder or _named("PYTHON_WHEELS")
        if folder and not folder.is_dir():
            raise Missing(f"the folder of wheels {folder} is not there")
        cache = cache or _named("PYODIDE_CELLS_CACHE") or user_cache_path("pyodide-cells", appauthor=False)
        address = base.format(version=version)
        return cls(pyodide, version, lock["info"], lock["packages"], folder, address, cache / version, say)

    def closure(self, names: Iterable[str]) -> list[str]:
        """These packages of the lock and all that they depend on, each once."""
        found: dict[str, None] = {}
        for name in map(canonicalize_name, names):
            if name not in self.packages:
                raise ValueError(f"Pyodide {self.version} has no package {name!r}")
            if name not in found:
                found |= dict.fromkeys([name, *self.closure(self.packages[name]["depends"])])
        return list(found)

    def lock(self, found: Mapping[str, Wheel]) -> dict[str, Any]:
        """Pyodide's lock, cut to these packages and with their own wheels."""
        packages = {
            name: self.packages[name]
            | {"file_name": wheel.file, "sha256": _sha256(wheel.data)}
            | ({"version": str(_version(wheel.file))} if wheel.foreign else {})
            for name, wheel in found.items()
        }
        return {"info": self.info, "packages": packages}

    def find(self, name: str) -> Wheel:
        """The wheel of a package of the lock. Raises Missing, which says why."""
        entry = self.packages[name]
        if self.folder:
            return self._in_folder(self.folder, name, entry)
        return Wheel(entry["file_name"], self._cached(entry["file_name"], entry["sha256"]))

    def _in_folder(self, folder: Path, name: str, entry: Mapping[str, Any]) -> Wheel:
        """The release's wheel, or the one nearest to it that fits."""
        release = folder / entry["file_name"]
        if release.exists() and _sha256(data := release.read_bytes()) == entry["sha256"]:
            return Wheel(release.name, data)
        fitting = [file for file in sorted(folder.glob("*.whl")) if self._fits(file, name)]
        if not fitting:
            raise Missing(f"{folder} holds no wheel of {name} for {self.info['abi_version']}, such as {release.name}")
        file = max(fitting, key=lambda one: (str(_version(one.name)) == entry["version"], _version(one.name)))
        if not zipfile.is_zipfile(file):
            raise Missing(f"{file} is damaged")
        data = file.read_bytes()
        foreign = _sha256(data) != entry["sha256"]
        if foreign:
            self.say(f"{file.name} is not the release's {name}, but one of the same binary interface.")
        return Wheel(file.name, data, foreign)

    def _fits(self, file: Path, name: str) -> bool:
        """Whether a wheel is one of this package, and Pyodide can load it."""
        try:
            named, _, _, tags = parse_wheel_filename(file.name)
        except InvalidWheelFilename:
            return False
        python = "cp" + "".join(self.info["python"].split(".")[:2])
        platforms = [f"{kind}_{self.info['abi_version']}_wasm32" for kind in ("pyodide", "pyemscripten")]
        loaded = {f"{python}-{python}-{platform}" for platform in platforms} | {"py3-none-any"}
        return named == name and not loaded.isdisjoint(str(tag) for tag in tags)

    def _cached(self, file: str, sha256: str) -> bytes:
        """A wheel of the release: what an earlier build fetched, if it is whole."""
        kept = self.cache / file
        if kept.exists():
            if _sha256(data := kept.read_bytes()) == sha256:
                return data
            self.say(f"{kept} is damaged: its sha256 is not that of Pyodide's lock. It is fetched again.")
        data = self._fetched(self.base + file)
        if _sha256(data) != sha256:
            raise Missing(f"what came from {self.base + file} was refused: its sha256 is not that of Pyodide's lock")
        try:
            _keep(kept, data)
        except OSError as error:
            self.say(f"{kept} cannot be kept for the next build: {error}.")
        return data

    def _fetched(self, url: str) -> bytes:
        if self.down:
            raise Missing(self.down)
        end = time.monotonic() + WHOLE
        parts = []
        try:
            with urllib.request.urlopen(url, timeout=SILENCE) as answer:
                while part := answer.read1(2**16):
                    parts.append(part)
                    if time.monotonic() > end:
                        raise TimeoutError(f"not whole after {WHOLE} seconds")
        except urllib.error.HTTPError as error:
            raise Missing(f"{url} is not to be had ({error})") from None
        except (OSError, http.client.HTTPException) as error:
            self.down = f"{url} is out of reach ({error})"
            raise Missing(self.down) from None
        self.say(f"Fetched {url}")
        return b"".join(parts)


def _version(file: str) -> Version:
    """The version in the name of a wheel."""
    return parse_wheel_filename(file)[1]


def _named(variable: str) -> Path | None:
    """The folder that a variable of the environment names."""
    value = os.environ.get(variable)
    return Path(value).expanduser().absolute() if value else None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _keep(file: Path, data: bytes) -> None:
    """Write a file that another build may read at the same time."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
        part.write(data)
    os.replace(part.name, file)


def _members(library: Iterable[str], root: Path) -> Iterator[tuple[str, bytes]]:
    """The files of the library, by the names that they will have in site-packages."""
    for name in dict.fromkeys(library):
        place = _place(name, root)
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            inside = file.relative_to(place.parent)
            if file.is_file() and file.suffix not in COMPILED and APART.isdisjoint(inside.parts):
                yield inside.as_posix(), b"" if file.suffix in SCRIPTS else file.read_bytes()
        try:
            yield from _about(distribution(name))
        except (PackageNotFoundError, ValueError):
            continue


def _place(name: str, root: Path) -> Path:
    """Where a module or a package of the library lies."""
    beside = root / name
    if (beside.suffix == ".py" and beside.is_file()) or (beside / "__init__.py").is_file():
        return beside
    spec = find_spec(name) if "/" not in name else None
    if spec and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    if spec and spec.origin and Path(spec.origin).is_file():
        return Path(spec.origin)
    raise ValueError(f"there is no module or package {name!r} to give to the pages")


def _about(known: Distribution) -> Iterator[tuple[str, bytes]]:
    """The name, the version and the licences of what was installed: without its long description, and its list of files."""
    for file in known.files or ():
        path = PurePosixPath(file)
        if path.parent.suffix != ".dist-info" and "licenses" not in path.parts[1:]:
            continue
        if path.name == "METADATA":
            yield str(path), file.read_text(encoding="utf8").partition("\n\n")[0].encode() + b"\n"
        elif path.name.upper().startswith(SAYS_WHOSE):
            yield str(path), file.read_binary()


def packed(members: Mapping[str, bytes]) -> bytes:
    """A zip that is the same whenever its members are."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(members.items()):
            entry = zipfile.ZipInfo(name)  # of 1980, the first year that a zip knows
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return whole.getvalue()
