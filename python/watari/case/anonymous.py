"""Results without hosts, users, folders and the command as typed.

Facts that change how data move stay: processors, links, driver, kernel, variables of known meaning.
Texts, such as why a trial failed, lose every host, user and absolute path.
"""

from __future__ import annotations

import os
import pwd
import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from watari.case.axis import expanded
from watari.case.engines import FOLDER
from watari.common.errors import UsageError
from watari.common.variables import HIDDEN, kept
from watari.results.schema import Results

LEFT_OUT = "<folder-"  # followed by a number: two disks stay two
PATH = "<path>"
# quoted paths whole, since they may have spaces; others up to the next blank; web addresses stay
PATHS = re.compile(
    r"(?P<quote>['\"])(?:~[\w.-]*)?/.*?(?P=quote)"
    r"|(?<![\w./])(?<!https:)(?<!http:)(?:~[\w.-]*)?/[^\s'\",;)\]]*[^\s'\",;)\]:.]"
)
INNER = re.compile(rf"({PATH}|{LEFT_OUT}\d+>)(?:{PATH})+")  # a folder, and the path in it
TEXTS = ("error", "reason", "notes", "flags", "detail", "description", "source")
GPU = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F][0-9a-fA-F/-]{7,}")


def anonymous(whole: Sequence[Results]) -> list[Results]:
    """These results without names; a folder has the same number in all of them."""
    plain = [result.as_dict() for result in whole]
    folders: dict[str, str] = {}
    for result in plain:
        for case in [*result["cases"], *result["missing"]]:
            folder = case["parameters"].get("folder", FOLDER)
            if folder != FOLDER and not folder.startswith(LEFT_OUT):
                folders.setdefault(folder, f"{LEFT_OUT}{len(folders) + 1}>")
            if file := case["parameters"].get("file"):
                folders.setdefault(file, f"<file-{len(folders) + 1}>")
    return [Results.model_validate(without(result, folders)) for result in plain]


def without(result: dict[str, Any], folders: Mapping[str, str]) -> dict[str, Any]:
    """One result, as plain values, without names."""
    program, machine = result["program"], result["machine"]
    names = replacements(machine["hosts"], folders)
    for case in [*result["cases"], *result["missing"]]:
        parameters = case["parameters"]
        for name in ("folder", "file"):
            if name in parameters:
                parameters[name] = folders.get(parameters[name], parameters[name])
    program |= {
        "command": "",
        "launcher": program["launcher"] and HIDDEN,
        "environment": {n: v for n, v in kept(program["environment"]).items() if v != HIDDEN},
        "anonymous": True,
    }
    known = list(dict.fromkeys(machine["hosts"]))
    for one in [machine, *machine["others"]]:
        for hosts in ("hosts", "undescribed"):
            one[hosts] = [f"host-{known.index(host) + 1}" for host in one[hosts]]
    if result["plan"]:
        result["plan"]["name"] = scrub_text(result["plan"]["name"], names)
    scrubbed: dict[str, Any] = scrub(result, names)
    return scrubbed


def replacements(hosts: Sequence[str], folders: Mapping[str, str]) -> dict[str, str]:
    """The replacement of each known name, of the result and of this process; longest name first."""
    names: dict[str, str] = {}
    for folder, number in folders.items():
        with suppress(UsageError):  # `~user` of an unknown user
            names[expanded(folder)] = number
    names |= folders
    with suppress(OSError):
        names[os.getcwd()] = PATH
    names[os.environ.get("HOME", "")] = PATH
    with suppress(UsageError):  # no home
        names[expanded("~")] = PATH
    for host in [*hosts, socket.gethostname()]:
        names |= {host: "<host>", host.partition(".")[0]: "<host>"}
    names |= {os.environ.get(name, ""): "<user>" for name in ("USER", "LOGNAME")}
    with suppress(KeyError):  # a user without a name
        names[pwd.getpwuid(os.getuid()).pw_name] = "<user>"
    return dict(sorted(names.items(), key=lambda item: -len(item[0])))


def scrub(value: Any, names: Mapping[str, str], key: str = "") -> Any:
    """The value without paths and UUIDs of GPUs; texts that people read lose names, too."""
    if isinstance(value, dict):
        return {inner: scrub(item, names, inner) for inner, item in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], str | dict | list):
        return [scrub(item, names, key) for item in value]  # lists of samples stay
    if isinstance(value, str):
        return scrub_text(value, names if key in TEXTS else {})
    return value


def scrub_text(text: str, names: Mapping[str, str]) -> str:
    """A text without names, paths and UUIDs of GPUs."""
    for name, instead in names.items():
        if name.strip("/") and name in text:
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", instead, text)
    text = PATHS.sub(lambda match: FOLDER if match[0] == FOLDER else PATH, text)
    return GPU.sub("<gpu>", INNER.sub(r"\1", text))
