"""Puts the pages of the site together: `stage.py SOURCE`, a folder that is made new.

The pages keep their places, so that their links stay valid: README.md, docs/, cases/<name>/ and
others. Files that they link are copied, too. reference.py writes those below SOURCE/reference.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import reference

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
# The parts of the site, with their pages in order. A page belongs to the first part that has it.
PARTS = {
    "Start": [
        "docs/install.md",
        "recipes/README.md",
        "docs/commands.md",
        "docs/report.md",
        "docs/try.md",
        "docs/advise.md",
    ],
    "Measurements": ["cases/*/EVIDENCE.md", "docs/evidence/*.md"],
    "Studies": ["docs/studies.md", "docs/strangers.md", "cases/*/*.md"],
    "Reference": [
        "reference/*.md",
        "docs/results.md",
        "docs/plans.md",
        "docs/architecture.md",
        "docs/reliability.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "tests/*.md",
        "tests/*/README.md",
    ],
    "Guides": ["docs/*.md", "examples/README.md", "examples/*/README.md"],
}
SHOWN = ["Start", "Guides", "Studies", "Reference", "Measurements"]
LEFT_OUT = ("tests/fixtures/",)


def pages() -> list[Path]:
    """The pages of the repository."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, text=True, capture_output=True)
    names = listed.stdout.split() or [str(path.relative_to(ROOT)) for path in ROOT.glob("**/*.md")]
    return [Path(name) for name in names if not name.startswith((*LEFT_OUT, "build/", "."))]


def with_links(text: str, page: Path, source: Path) -> str:
    """The text of a page; linked files are copied, and a linked folder becomes its name."""

    def link(found: re.Match[str]) -> str:
        mark, words, target, anchor = found.groups()
        if re.match(r"[a-z]+:", target):
            return found[0]
        path = ROOT / page.parent / target
        if path.is_dir():
            inside = "/README.md" if (path / "README.md").exists() else ""
            return f"[{words}]({target.rstrip('/')}{inside})" if inside else words
        if path.suffix != ".md":
            copy = source / path.resolve().relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        return f"{mark}[{words}]({target}{anchor or ''})"

    return LINK.sub(link, text)


def tables_of_contents(source: Path) -> str:
    """A table of contents for each part; a page that no part has is an error."""
    left = {str(path.relative_to(source)) for path in source.rglob("*.md")} - {"README.md"}
    entries: dict[str, list[str]] = {}
    for part, globs in PARTS.items():
        for glob in globs:
            found = sorted(str(path.relative_to(source)) for path in source.glob(glob))
            entries.setdefault(part, []).extend(name for name in found if name in left)
            left.difference_update(found)
    if left:
        raise SystemExit(
            f"no part of the site has {', '.join(sorted(left))}: add it in scripts/site/stage.py"
        )
    return "".join(
        f"\n```{{toctree}}\n:caption: {part}\n:hidden:\n\n" + "\n".join(entries[part]) + "\n```\n"
        for part in SHOWN
    )


def stage(source: Path) -> None:
    """Writes all pages."""
    shutil.rmtree(source, ignore_errors=True)
    for page in pages():
        (source / page).parent.mkdir(parents=True, exist_ok=True)
        (source / page).write_text(with_links((ROOT / page).read_text(), page, source))
    reference.write(source / "reference")
    front = source / "README.md"
    front.write_text(front.read_text() + tables_of_contents(source))
    here = Path(__file__).parent
    shutil.copy(here / "conf.py", source)
    (source / "_static").mkdir()
    shutil.copy(here / "site.css", source / "_static")


if __name__ == "__main__":
    stage(Path(sys.argv[1]).absolute())
