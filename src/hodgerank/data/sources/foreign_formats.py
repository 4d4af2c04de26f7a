"""Files of statistics programs, which have to be converted: how to do it."""

from __future__ import annotations

import re
from pathlib import PurePath

from hodgerank.errors import InvalidComparisons

_R_SAVED = (
    "R (several objects)",
    """Rscript -e 'e <- new.env(); load("{name}", e); """
    """write.csv(get(ls(e)[1], e), "{csv}", row.names=FALSE)'""",
)
_R_OBJECT = (
    "R",
    """Rscript -e 'write.csv(readRDS("{name}"), "{csv}", row.names=FALSE)'""",
)
_PANDAS = (
    """python -c 'import pandas; pandas.{reader}("{{name}}").to_csv("{{csv}}", index=False)'"""
)
_SPSS = ("SPSS", _PANDAS.format(reader="read_spss") + " (needs pip install pandas pyreadstat)")
_STATA = ("Stata", _PANDAS.format(reader="read_stata") + " (needs pip install pandas)")
_SAS = ("SAS", _PANDAS.format(reader="read_sas") + " (needs pip install pandas)")
BY_SUFFIX = {
    ".rdata": _R_SAVED,
    ".rda": _R_SAVED,
    ".rds": _R_OBJECT,
    ".sav": _SPSS,
    ".zsav": _SPSS,
    ".dta": _STATA,
    ".sas7bdat": _SAS,
}
BY_START = {
    b"RDX2\n": _R_SAVED,
    b"RDX3\n": _R_SAVED,
    b"RDA2\n": _R_SAVED,
    b"RDA3\n": _R_SAVED,
    b"X\n\x00\x00\x00": _R_OBJECT,
    b"A\n2\n": _R_OBJECT,
    b"A\n3\n": _R_OBJECT,
    b"$FL2": _SPSS,
    b"$FL3": _SPSS,
    b"<stata_dta>": _STATA,
}


def refuse_by_name(name: str) -> None:
    """Raise InvalidComparisons, with the command that converts it, for such a file."""
    suffix = PurePath(name).suffix.lower()
    if suffix in BY_SUFFIX:
        raise _not_read(name, *BY_SUFFIX[suffix])


def refuse_by_start(name: str, start: bytes) -> None:
    """Raise InvalidComparisons for a file that starts so, regardless of its name."""
    for mark, (program, command) in BY_START.items():
        if start.startswith(mark):
            raise _not_read(name, program, command)


def _not_read(name: str, program: str, command: str) -> InvalidComparisons:
    # The command is meant to be pasted: a name with quotes could end its text.
    is_plain = re.fullmatch(r"[\w./ -]+", name) and not name.startswith("-")
    shown = name if is_plain else "votes" + PurePath(name).suffix
    csv = PurePath(shown).stem + (".csv" if not shown.endswith(".csv") else "-converted.csv")
    how = command.format(name=shown, csv=csv)
    return InvalidComparisons(
        f"{name} is a file of {program}, which is not read: convert it to CSV with\n  {how}"
    )
