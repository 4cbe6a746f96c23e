"""Pack the built site for a stick or an upload: one folder, opened with its index.html, no server needed.

    python tools/site_zip.py

The same site gives the same file, byte for byte.
"""

import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "attention-from-the-dot-product-up"


def pack(target: Path, files: dict[str, Path]) -> None:
    """Write the files into an archive, by the names that they have there. The same files give the same archive."""
    with zipfile.ZipFile(target, "w") as archive:
        for name, file in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            how = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED  # an EPUB begins with it, unpacked
            archive.writestr(entry, file.read_bytes(), how, 9)


def files_of(site: Path) -> dict[str, Path]:
    """Every file of the site, by its name below one folder."""
    if not (site / "index.html").exists():
        raise FileNotFoundError(f"{site} holds no index.html: build the book first, make book")
    files = sorted(file for file in site.rglob("*") if file.is_file() and file.name[0] != "." and file.suffix != ".inv")
    return {f"{NAME}/{file.relative_to(site).as_posix()}": file for file in files}


if __name__ == "__main__":
    target, files = ROOT / "_build" / f"{NAME}.zip", files_of(ROOT / "_build" / "html")
    pack(target, files)
    print(f"{target}: {len(files)} files, {target.stat().st_size / 1e6:.1f} MB. Unpack it and open index.html.")
