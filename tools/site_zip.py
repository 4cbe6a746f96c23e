"""Pack the built site for a stick or an upload: one folder, opened with its index.html, no server needed.

    python tools/site_zip.py

The same site gives the same file, byte for byte.
"""

import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "attention-from-the-dot-product-up"


def pack(site: Path, target: Path) -> int:
    """Write every file of the site into `target`, below one folder; return how many."""
    if not (site / "index.html").exists():
        raise FileNotFoundError(f"{site} holds no index.html: build the book first, make book")
    files = sorted(file for file in site.rglob("*") if file.is_file() and file.name[0] != "." and file.suffix != ".inv")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in files:
            entry = zipfile.ZipInfo(f"{NAME}/{file.relative_to(site).as_posix()}", (2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return len(files)


if __name__ == "__main__":
    target = ROOT / "_build" / f"{NAME}.zip"
    count = pack(ROOT / "_build" / "html", target)
    print(f"{target}: {count} files, {target.stat().st_size / 1e6:.1f} MB. Unpack it and open index.html.")
