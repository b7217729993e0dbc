"""The code that a memory style takes: its statements that manage memory, counted from its source.

The count is by tokens: a call of a function in CALLS is one statement of its kind, and so is a
directive that moves or maps data. Fortran's `allocate` is one statement for several arrays. A call
inside a loop counts once, as it is written once.
Kernels, the loop and verification are shared by all styles and are not in these files. The count
is a number for the second axis of Yoshida (2024, section 4.3), productivity.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich import box
from rich.table import Table

from watari.case.native import missing
from watari.cases import CASES
from watari.common.errors import UnsupportedError, UsageError

KINDS = ("allocate", "free", "copy", "prefetch", "advise", "direct data")
CALLS = {
    "allocate": r"(cudaMalloc(Host|Managed|Async|Pitch|3D)?|cudaHost(Alloc|Register)|malloc|calloc"
    r"|aligned_alloc|posix_memalign|acc_malloc|omp_target_alloc)",
    "free": r"(cudaFree(Host|Async)?|cudaHostUnregister|free|acc_free|omp_target_free)",
    "copy": r"(cudaMemcpy(\w*)|cudaMemset(\w*)|memcpy|memset|acc_memcpy\w*|omp_target_memcpy\w*)",
    "prefetch": r"cudaMemPrefetchAsync",
    "advise": r"(cudaMemAdvise|madvise)",
    "direct data": r"(acc_(map|attach|copy\w*|create|delete|update)\w*"
    r"|omp_target_(dis)?associate_ptr)",
}
FORTRAN = {  # at the beginning of a statement, or as a function within it
    "allocate": r"\ballocate\s*\(|\bmanaged_bytes\s*\(",
    "free": r"\bdeallocate\s*\(|\bcall\s+managed_free\b",
}
PRAGMA = r"^\s*(#\s*pragma\s+|!\$)"  # of C++, of Fortran
UPDATE = re.compile(PRAGMA + r"(acc\s+update|omp\s+target\s+update)\b")
DATA = re.compile(
    PRAGMA + r"(acc\s+((enter|exit)\s+data|data|host_data|declare)"
    r"|omp\s+(target\s+((enter|exit)\s+)?data|declare\s+target))\b"
)
CLAUSE = re.compile(r"\b(copy|copyin|copyout|create|present|deviceptr|map|is_device_ptr)\s*\(")


@dataclass(frozen=True)
class Effort:
    """One style: its statements by kind, and the lines of its file that hold code."""

    style: str
    statements: dict[str, int]
    lines: int

    @property
    def total(self) -> int:
        """All statements that manage memory."""
        return sum(self.statements.values())


def directive(text: str) -> str | None:
    """The kind of a pragma: `copy` for updates, `direct data` for data regions and clauses."""
    if UPDATE.search(text):
        return "copy"
    if re.search(PRAGMA + r"(acc|omp)\b", text) and (DATA.search(text) or CLAUSE.search(text)):
        return "direct data"
    return None


@cache  # a report counts the same files for several figures
def count(style: str, source: str) -> Effort:
    """Counts the statements of one C++ source."""
    try:
        from pygments.lexers import CppLexer
        from pygments.token import Comment, Name, Punctuation, Whitespace
    except ImportError:
        raise UnsupportedError("counting needs pygments: pip install 'watari[report]'") from None
    statements = dict.fromkeys(KINDS, 0)
    joined = re.sub(r"\\\n", " ", source)
    tokens = [t for t in CppLexer().get_tokens(joined) if t[0] not in Whitespace]
    code = [t for t in tokens if t[0] not in Comment or t[0] in Comment.Preproc]
    for (kind, text), (after, bracket) in zip(code, [*code[1:], (Punctuation, "")], strict=True):
        if kind in Name and after in Punctuation and bracket == "(":
            for name, pattern in CALLS.items():
                statements[name] += bool(re.fullmatch(pattern, text))
    for line in joined.splitlines():
        kind_of_directive = directive(line) if line.lstrip().startswith("#") else None
        if kind_of_directive:
            statements[kind_of_directive] += 1
    return Effort(style, statements, code_lines(joined))


def count_fortran(style: str, source: str) -> Effort:
    """Counts the statements of one source in Fortran. A continued statement counts once; the end of
    a region is none."""
    statements = dict.fromkeys(KINDS, 0)
    joined = re.sub(r"&\s*\n\s*(!\$\w+&)?", " ", source)
    lines = [line for line in joined.splitlines() if line.strip()]
    for line in lines:
        if re.match(r"\s*!\$\w+\s+(?!end\b)", line):
            kind = directive(line)
            if kind:
                statements[kind] += 1
            continue
        code = re.sub(r"'[^']*'|\"[^\"]*\"", "", line).split("!")[0]
        for name, pattern in FORTRAN.items():
            statements[name] += len(re.findall(pattern, code))
    held = [line for line in source.splitlines() if not re.match(r"\s*(!(?!\$)|$)", line)]
    return Effort(style, statements, len(held))


def code_lines(source: str) -> int:
    """Lines that hold code: neither blank nor comment."""
    bare = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    return sum(1 for line in bare.splitlines() if line.split("//")[0].strip())


COUNTERS: dict[str, Callable[[str, str], Effort]] = {".cpp": count, ".f90": count_fortran}


def sources(program: str) -> dict[str, Path]:
    """The style files of a program, by style: in C++, or in Fortran. Raises UsageError for a
    program without styles."""
    known = [case.name for case in CASES.values() if case.styles]
    if program not in known:
        raise UsageError(f"'{program}' has no styles; known: {', '.join(known)}")
    case = CASES[program]
    assert case.styles
    in_tree = case.styles.parent / "native" / "styles"  # not installed
    for folder in (case.styles, in_tree):
        if folder.is_dir():
            names = {path.stem: path for suffix in COUNTERS for path in folder.rglob(f"*{suffix}")}
            return {style: names[style] for style in case.axes["style"].choices}
    raise UnsupportedError(missing(f"watari.cases.{case.styles.parent.name}"))


def effort(program: str) -> list[Effort]:
    """Every style of a program, least effort first."""
    counted = [
        COUNTERS[path.suffix](style, path.read_text()) for style, path in sources(program).items()
    ]
    return sorted(counted, key=lambda e: (e.total, e.lines, e.style))


def render(
    counted: list[Effort], title: str | None = None, speeds: dict[str, str] | None = None
) -> Table:
    """One line a style, for rich to print; `speeds` adds a column with the speed of each style."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("style", no_wrap=True)
    for kind in (*KINDS, "total", "lines"):
        table.add_column(kind, justify="right")
    if speeds is not None:
        table.add_column("GFLOPS steady, whole", justify="right")
    for one in counted:
        numbers = [*(one.statements[kind] for kind in KINDS), one.total, one.lines]
        more = [] if speeds is None else [speeds.get(one.style, "")]
        table.add_row(one.style, *(str(number) for number in numbers), *more)
    return table
