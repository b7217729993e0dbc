"""Computes each number of README and docs/ that stands in a result file, and compares.

python scripts/recompute.py [PAGE...]    exit code 1 if a number differs or has no source
python scripts/recompute.py --write      puts the computed numbers into the pages, as rounded there

A page that cites result files has a module of its name in the folder numbers/ of docs/ or of its
case; a long one has a folder of modules. There each sentence
or row of a table stands with `{}` in place of its numbers, and beside it their values, computed
from a case and a key of a file:

    from recompute import Page
    from result_files import results

    page = Page("cases/himeno/EVIDENCE.md")
    sam = results("nvidia-h200-x86_64/20261121-himeno-sam.json")
    explicit = sam.case("himeno", style="explicit", form="fused")
    page.says("| `explicit`, fused, tuned | {} | {} |", explicit.median, explicit.quantity("whole"))
    page.given("data sheet", "a link of 63 GB/s")

`table` computes all lines between `<!-- NAME -->` and `<!-- end -->`, so `--write` can fill a table
when its result file is there. `given` names numbers that no result file has, with the reason. A
number that neither `says` nor `given` covers is an error, so a new number cannot come without its
source.
"""

from __future__ import annotations

import argparse
import re
import runpy
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from result_files import SHOWN, NoSuchKeyError, opened

from watari.common.errors import FileError

ROOT = Path(__file__).parents[1]
# A number of prose: no part of a word, a version or a path
NUMBER = re.compile(rf"(?<![\w.,/-])(?:{SHOWN})(?![\w/]|\.\d|-\d)")
EVIDENCE = r"\]\(([\w./-]*(?:evidence/[\w-]+|EVIDENCE)\.md)"  # a link
FENCED = re.compile(r"^```(\w*)\n.*?^```", re.M | re.S)
COMMAND = re.compile(r"^[$#] .*(?:(?<=\\)\n.*)*", re.M)
NO_MEASUREMENT = re.compile(
    r"`[^`\n]*(?:\n[^`\n]+)?`"
    r"|(?<=\])\([^)]*\)"  # targets of links
    r"|^#.*$|^\|.*$(?=\n\|[-:| ]+\|$)"  # headings, heads of tables
    r"|\d+ (?:[KMG]i)?B\b|\d+(?: x \d+)+"  # settings
    r"|\d+ (?:samples|trials|threads|cores|iterations|steps|ranks|GPUs)\b"
    r"|\b(?:[Ff]igures?|[Tt]able|[Ss]ection|[Ll]isting|Linux|driver|CUDA|Python) \d+(?:\.\d+)*"
    r"|\b(?:19|20)\d\d\b|\d{1,2} [A-Z][a-z]+ (?=20\d\d)"  # dates
    r"|(?:revisions?|at) (?:[0-9a-f]{7,9}(?:, | and )?)+",
    re.M,
)


def no_measurements(text: str) -> Iterator[tuple[int, int]]:
    """Parts of a page whose numbers are no measurements: code and commands, not their output."""
    prose = text
    for block in FENCED.finditer(text):
        prose = prose[: block.start()] + " " * len(block[0]) + prose[block.end() :]
        if block[1] != "console":
            yield block.span()
        else:
            yield from (c.span() for c in COMMAND.finditer(text, *block.span()))
    yield from (match.span() for match in NO_MEASUREMENT.finditer(prose))


def agrees(shown: str, value: float) -> bool:
    """Whether a value, rounded to the digits shown, is the number shown."""
    plain = shown.replace(",", "")
    digits, _, exponent = plain.partition("e")
    step = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return abs(float(plain) - value) <= 0.5000001 * step


def rounded(shown: str, value: float) -> str:
    """A value with the digits of the number shown."""
    digits, _, exponent = shown.replace(",", "").partition("e")
    decimals = len(digits.partition(".")[2])
    if exponent:
        return f"{value / 10.0 ** int(exponent):.{decimals}f}e{exponent}"
    return f"{value:,.{decimals}f}" if "," in shown else f"{value:.{decimals}f}"


@dataclass
class Page:
    """A page, its computed numbers, and the errors among them."""

    name: str
    sources: set[str] = field(default_factory=set)
    covered: list[tuple[int, int]] = field(default_factory=list)
    computed: list[tuple[int, int, float]] = field(default_factory=list)
    tables: list[tuple[int, int, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = (ROOT / self.name).read_text()
        pages.append(self)

    def says(self, sentence: str, *values: float) -> None:
        """The page has this sentence, with these values in place of `{}`, rounded as shown.

        Any white space stands for a line's end, too. A sentence that occurs several times has the
        same values each time.
        """
        if sentence.count("{}") != len(values):
            raise NoSuchKeyError(
                f"'{sentence}' has {sentence.count('{}')} gaps for {len(values)} values"
            )
        for match in self._find(sentence):
            if match[0].startswith("| "):  # the first cell names the row
                self.covered.append((match.start(), self.text.index("|", match.start() + 1)))
            for group, value in enumerate(values, 1):
                self.computed.append((*match.span(group), value))
                if not agrees(match[group], value):
                    place = self.text.count("\n", 0, match.start(group)) + 1
                    self.errors.append(f"line {place}: {match[group]} is {value:.6g}: {sentence}")

    def table(self, name: str, lines: list[str]) -> None:
        """The page has these lines between `<!-- name -->` and `<!-- end -->`."""
        match = re.search(rf"<!-- {re.escape(name)} -->\n(.*?)<!-- end -->", self.text, re.S)
        if match is None:
            self.errors.append(f"not on the page: <!-- {name} -->")
            return
        wanted = "".join(f"{line}\n" for line in lines)
        self.covered.append(match.span(1))
        self.tables.append((*match.span(1), wanted))
        if match[1] != wanted:
            self.errors.append(f"table {name} is not the computed one")

    def given(self, reason: str, *sentences: str) -> None:
        """These words are on the page, and their numbers are in no result file, for this reason."""
        assert reason
        for sentence in sentences:
            self.covered += [match.span() for match in self._find(sentence)]

    def given_block(self, reason: str, words: str) -> None:
        """As `given`, for all lines around these words up to the next empty lines."""
        assert reason
        for match in self._find(words):
            first = self.text.rfind("\n\n", 0, match.start())
            last = self.text.find("\n\n", match.end())
            self.covered.append((max(first, 0), last if last > 0 else len(self.text)))

    def _find(self, sentence: str) -> list[re.Match[str]]:
        gap = rf"\*{{0,2}}({SHOWN})\*{{0,2}}"  # bold or not
        pattern = gap.join(
            r"\s+".join(re.escape(word) for word in re.split(r"\s+", part))
            for part in sentence.split("{}")
        )
        found = list(re.finditer(pattern, self.text))
        if not found:
            self.errors.append(f"not on the page: {sentence}")
        return found

    def uncovered(self) -> Iterator[str]:
        """Numbers of two digits or with a fraction, which have neither a value nor a reason."""
        spans = [*self.covered, *((first, last) for first, last, _ in self.computed)]
        spans += no_measurements(self.text)
        for match in NUMBER.finditer(self.text):
            if len(match[0].lstrip("-")) < 2 or any(a <= match.start() < b for a, b in spans):
                continue
            place = self.text.count("\n", 0, match.start()) + 1
            yield f"line {place}: {match[0]} has no source: {self.text.splitlines()[place - 1]}"

    def uncited(self) -> list[str]:
        """Files that its module reads, and that neither the page nor evidence it links names."""
        folder = (ROOT / self.name).parent
        linked = sorted(set(re.findall(EVIDENCE, self.text)))
        words = self.text + "".join((folder / evidence).read_text() for evidence in linked)
        return [
            f"does not cite {file}"
            for file in sorted(self.sources)
            if not any(
                name in alternative for alternative in expanded(words) for name in names(file)
            )
        ]

    def written(self) -> str:
        """The page with the computed numbers."""
        new = self.text
        numbers = [(a, b, rounded(new[a:b], value)) for a, b, value in set(self.computed)]
        for first, last, words in sorted([*numbers, *self.tables], reverse=True):
            new = new[:first] + words + new[last:]
        return new


pages: list[Page] = []


def names(file: str) -> list[str]:
    """The names by which a page may cite a result file: with or without the date."""
    name = Path(file).name
    return [name, name.partition("-")[2], Path(name.partition("-")[2]).stem]


def expanded(words: str) -> list[str]:
    """A text, and the words of its braces as a shell makes them."""
    alternatives = [words]
    for before, choices, behind in re.findall(r"([\w/.-]*)\{([\w,.-]*)\}([\w.-]*)", words):
        alternatives += [before + choice + behind for choice in choices.split(",")]
    return alternatives


CITING = re.compile(rf"\b\d{{8}}-[\w{{}},*-]+\.(?:json|txt)|{EVIDENCE}")


def case_pages() -> list[Path]:
    """The pages of the cases: README.md and EVIDENCE.md of each folder."""
    return sorted((ROOT / "cases").glob("*/*.md"))


def citing() -> Iterator[str]:
    """The pages that name a result file, or link to a page of evidence."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *case_pages()]:
        if CITING.search(page.read_text()):
            yield str(page.relative_to(ROOT))


def module(page: str) -> Path:
    """The module of a page: docs/numbers/evidence/advise.py for docs/evidence/advise.md, and
    cases/himeno/numbers/README.py for cases/himeno/README.md. A folder may stand in its place."""
    path = Path(page).with_suffix(".py")
    if path.parts[0] == "cases":
        return ROOT / path.parent / "numbers" / path.name
    return ROOT / "docs" / "numbers" / (path.relative_to("docs") if len(path.parts) > 1 else path)


def compared(page: str) -> Page:
    """Runs the module of a page."""
    opened.clear()
    pages.clear()
    folder = module(page).with_suffix("")
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))  # what the modules of a case share
    for file in sorted(folder.glob("*.py")) if folder.is_dir() else [module(page)]:
        runpy.run_path(str(file))
    found, *others = pages
    for other in others:
        found.covered += other.covered
        found.computed += other.computed
        found.tables += other.tables
        found.errors += other.errors
    found.sources |= opened
    return found


def problems(page: str) -> list[str]:
    """The errors of a page, a line each: numbers that differ, without a source, or not cited."""
    if not module(page).exists() and not module(page).with_suffix("").is_dir():
        return [f"no module {module(page).relative_to(ROOT)}"]
    try:
        found = compared(page)
    except (FileError, NoSuchKeyError, KeyError, IndexError, ValueError, OSError) as error:
        return [f"{type(error).__name__}: {error}"]
    return [*found.errors, *found.uncovered(), *found.uncited()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "pages", nargs="*", metavar="PAGE", help="default: each that cites a result file"
    )
    parser.add_argument(
        "--write", action="store_true", help="put the computed numbers into the pages"
    )
    given = parser.parse_args()
    sys.modules["recompute"] = sys.modules[__name__]
    count = 0
    for page in given.pages or list(citing()):
        if given.write:
            found = compared(page)
            (ROOT / page).write_text(found.written())
        for problem in problems(page):
            print(f"{page}: {problem}")
            count += 1
    print(
        f"{count} numbers or pages without a source, or that differ"
        if count
        else "all numbers agree"
    )
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main())
