"""The pages of the reference, from the program itself: commands, axes, results, Python, C++."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer import Context
from typer.cli import get_docs_for_click
from typer.main import get_command

import watari
from watari import cases
from watari.case.axes import TRIALS
from watari.cli.app import app, commands_by_name

ROOT = Path(__file__).parents[2]
# the headers that examples/cpp include, and those beside them
CPP = {
    "Memory": ["memory/buffer.hpp", "memory/kind.hpp", "memory/hint.hpp", "memory/residency.hpp"],
    "Errors": ["core/error.hpp"],
    "Sums whose bits do not change": ["core/parallel/sums.hpp"],
    "Files": ["files/matrices/npy.hpp", "files/direct_unit.hpp", "files/striped_files.hpp"],
    "Storage that GPU threads read and write": [
        "storage/controller/controller.hpp",
        "storage/backends/file.hpp",
        "storage/backends/ram.hpp",
        "storage/cache/mapped.hpp",
    ],
    "Products of matrices in files": ["gemm/product/product.hpp"],
    "Linear systems": [
        "krylov/cg.hpp",
        "krylov/bicgstab.hpp",
        "krylov/gmres.hpp",
        "krylov/mixed.hpp",
    ],
}

SECTIONS = (  # no private members
    "briefdescription detaileddescription innernamespace innerclass enum typedef var func "
    "public-type public-attrib public-func public-static-attrib public-static-func"
)
DOXYGEN = """
INPUT = {headers}
INPUT_FILTER = "sed '1s,^///,/// @file\\n///,'"
STRIP_FROM_PATH = src
OUTPUT_DIRECTORY = {folder}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
QUIET = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = WATARI_BACKEND=backend WATARI_KERNEL= WATARI_CLONES=
"""


def cell(text: object) -> str:
    """A text in a row of a table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "\\<")


def table(head: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    lines = [
        "| " + " | ".join(map(cell, row)) + " |" for row in (head, ("---",) * len(head), *rows)
    ]
    return "\n".join(lines) + "\n"


def commands() -> str:
    """Every command with its options, by typer's own generator."""
    known = commands_by_name()
    group = get_command(app)
    made = get_docs_for_click(obj=group, ctx=Context(group), name="watari")
    made = made.replace("# `watari`", "# Commands of `watari`", 1)
    for name, command in known.items():  # typer's list cuts a sentence
        sentence = " ".join((command.help or "").split("\n\n")[0].split())
        made = re.sub(
            rf"^\* `{name}`: .*\.\.\.$", f"* `{name}`: {sentence}", made, flags=re.MULTILINE
        )
    return re.sub(r"^Example: (.*)$", r"Example: `\1`", made, flags=re.MULTILINE)


def axes() -> str:
    """Every case with its axes."""
    parts = [
        "# Axes of the cases\n",
        "`watari list CASE` prints the same. `name=a,b` sweeps an axis.\n",
    ]
    for case in cases.CASES.values():
        parts.append(f"## {case.name}\n\n{case.summary[:1].upper()}{case.summary[1:]}.\n")
        rows = [
            (f"`{axis.name}`", axis.summary, ", ".join(axis.choices), axis.default_text)
            for axis in (TRIALS, *case.axes.values())
        ]
        parts.append(table(("axis", "meaning", "values", "default"), rows))
    return "\n".join(parts)


def kind(of: dict[str, Any]) -> str:
    """The type of a key of the schema."""
    if "$ref" in of:
        name = of["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in of:
        return " or ".join(kind(each) for each in of["anyOf"])
    if of.get("type") == "array":
        return f"list of {kind(of.get('items', {}))}"
    if isinstance(of.get("additionalProperties"), dict):
        return f"object of {kind(of['additionalProperties'])}"
    return str(of.get("type", "any"))


def schema() -> str:
    """The keys of a result file."""
    whole = json.loads((ROOT / "docs/results.schema.json").read_text())
    parts = [
        "# Schema of results\n",
        "[JSON Schema](../docs/results.schema.json); [what the keys mean](../docs/results.md).\n",
    ]
    for name, of in {"Run": whole, **whole["$defs"]}.items():
        parts.append(f"## {name}\n\n{of.get('description', '')}\n")
        required = of.get("required", [])
        rows = [
            (
                f"`{key}`",
                kind(each),
                "" if key in required else "optional",
                each.get("description", ""),
            )
            for key, each in of.get("properties", {}).items()
        ]
        parts.append(table(("key", "type", "", "meaning"), rows))
    return "\n".join(parts)


def directive(name: str, of: object) -> str:
    """What autodoc writes of a function or class."""
    if inspect.isclass(of):
        return f"```{{eval-rst}}\n.. autoclass:: {name}\n   :members:\n```\n"
    return f"```{{eval-rst}}\n.. autofunction:: {name}\n```\n"


def python() -> str:
    """What `import watari` offers, and the classes that its functions return."""
    offered = {name: getattr(watari, name) for name in watari.__all__ if not name.startswith("_")}
    parts = ["# Python\n"]
    returned: dict[str, type] = {}
    for name, of in offered.items():
        parts.append(f"## watari.{name}\n\n{directive(f'watari.{name}', of)}")
        for word in re.findall(r"\w+", str(of.__annotations__.get("return", ""))):
            result = getattr(sys.modules[of.__module__], word, None)
            if inspect.isclass(result) and result.__module__.startswith("watari."):
                returned[word] = result
    for name, of in returned.items():
        if of in offered.values():
            continue
        parts.append(f"## {name}\n\n{directive(f'{of.__module__}.{name}', of)}")
    return "\n".join(parts)


def doxygen(folder: Path) -> None:
    """What Doxygen reads in these headers, as XML."""
    headers = [f"src/watari/{header}" for group in CPP.values() for header in group]
    configuration = DOXYGEN.format(headers=" ".join(headers), folder=folder)
    try:
        subprocess.run(
            ["doxygen", "-"],
            input=configuration,
            text=True,
            check=True,
            cwd=ROOT,
            capture_output=True,
        )
    except FileNotFoundError:
        raise SystemExit(
            "No doxygen, which reads the C++ headers: apt-get install doxygen"
        ) from None


def cpp() -> str:
    """The classes and functions of the headers that users include."""
    parts = [
        "# C++\n",
        "`find_package(watari)` gives the target `watari::watari`"
        "; [examples](../examples/README.md).\n",
    ]
    for title, headers in CPP.items():
        parts.append(f"## {title}\n")
        for header in headers:  # Breathe looks for a name without its folder
            parts.append(f"### watari/{header}\n")
            parts.append(f"```{{doxygenfile}} {Path(header).name}\n:sections: {SECTIONS}\n```\n")
    return "\n".join(parts)


def write(folder: Path) -> None:
    """Writes the pages into a folder, and what Doxygen reads beside the pages of the site."""
    folder.mkdir(parents=True)
    doxygen(folder.parents[1] / "doxygen")
    for page in (commands, axes, schema, python, cpp):
        (folder / f"{page.__name__}.md").write_text(page())
