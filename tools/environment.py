"""Set up the virtual environment that the Makefile uses, with the standard library alone.

    python environment.py VENV [--keep] [--constraints FILE] [-- PIP_ARGUMENT ...]
    python environment.py VENV --program NAME --package PACKAGE --purpose TEXT
    python environment.py VENV --font FILE --package PACKAGE --purpose TEXT
    python environment.py --find-pythons

The first creates VENV if it is not there, was not finished, was moved, or was made by another
Python (which --keep allows), and installs into it. The second looks for a program, the third for a
font, and installs its Debian package where that is possible. The last prints the Pythons of this
machine that hodgerank supports, one of each version. Every failure ends in one sentence with the
remedy; the output of pip is in VENV/setup.log.
"""

# This file must parse on Python 3.6, so that an old Python is told what is wrong.
import argparse
import glob
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

OLDEST = (3, 11)
NEWEST = (3, 14)  # of those that the tests were run on
# Where Pythons are, beside PATH.
PYTHON_FOLDERS = ["~/.pyenv/versions/*/bin", "~/.local/share/uv/python/*/bin"]
FONT_FOLDERS = ["/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts"]
# They build what comes as source, without a network: build isolation would fetch them each time.
PREREQUISITES = ["pip", "hatchling", "editables", "setuptools"]
LOG_NAME = "setup.log"

NO_INDEX = (
    "No package index could be reached: connect to the internet once, "
    "or name a mirror in PIP_INDEX_URL."
)
# Words in the output of pip, and what to do where they appear.
REMEDIES = {
    "No space left on device": "The disk is full: free about 3 GB and run make again.",
    "Permission denied": "A file could not be written: check who owns the folder of the clone.",
    "Read-only file system": "The file system is read-only: clone into a folder you can write.",
    "CERTIFICATE_VERIFY_FAILED": "pip does not trust the certificate of the package index: "
    "name the file of your certificates in PIP_CERT.",
    "Temporary failure in name resolution": NO_INDEX,
    "Failed to establish a new connection": NO_INDEX,
    "(from versions: none)": NO_INDEX,
    "conflicting dependencies": "The packages do not fit together: renew constraints.txt "
    "with make lock CONSTRAINTS=.",
}


class SetupError(Exception):
    """Something is missing on this machine; the message says what to do."""


def main():
    """Run one of the tasks; return 1 after a failure that was explained."""
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("venv", type=Path, nargs="?", default=Path(".venv"))
    options.add_argument("--find-pythons", action="store_true", help="print their paths")
    options.add_argument("--keep", action="store_true", help="keep what another Python made")
    options.add_argument("--constraints", type=Path, help="versions to install, else the newest")
    options.add_argument("--program", nargs="+", help="names under which a program may be found")
    options.add_argument("--font", help="the name of a font's file")
    options.add_argument("--package", help="the Debian package that has the program or font")
    options.add_argument("--purpose", help="what is skipped without it")
    given = options.parse_args(arguments[:split])
    try:
        if given.find_pythons:
            print(*find_pythons(), sep="\n")
        elif given.program:
            is_there = any(map(shutil.which, given.program))
            provide(given.program[0], is_there, given.package, given.purpose)
        elif given.font:
            provide(given.font, has_font(given.font), given.package, given.purpose)
        else:
            environment = Environment(given.venv, given.constraints)
            environment.create(given.keep)
            if split < len(arguments):
                packages = arguments[split + 1 :]
                shown = " ".join(packages).replace("--editable .", "hodgerank")
                shown = shown.replace(" --group ", " and tools for ").replace(
                    "--group ", "tools for "
                )
                environment.install(packages, f"{shown} (takes minutes the first time)")
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted: run make again to continue.", file=sys.stderr)
        return 130
    return 0


class Environment:
    """A virtual environment in a folder, with versions taken from a file of constraints."""

    def __init__(self, folder, constraints):
        self.folder = folder
        self.python = folder / "bin" / "python"
        self.log = folder / LOG_NAME
        # Without --upgrade no index is asked for what is already there: make works offline.
        newest = ["--upgrade", "--upgrade-strategy", "eager"]
        self._versions = ["--constraint", str(constraints)] if constraints else newest
        self._made_by = folder / ".python"

    def create(self, keep):
        """Create the environment if it is not there, was moved, or another Python made it.

        With `keep` it may have been made by any Python that is still there.
        """
        place, maker = str(self.folder.resolve()), os.path.realpath(sys.executable)
        this_python = f"{maker} {sys.version.split()[0]}"
        if self._made_by.exists() and self.python.exists():
            known = self._made_by.read_text().splitlines()
            if known[:1] == [place] and (keep or known[1:] == [this_python]):
                return
        check_version()
        print("Creating {} with Python {}.{}.{}".format(self.folder, *sys.version_info), flush=True)
        # Not `import venv`: on Debian the module is there but cannot install pip.
        made = subprocess.run(
            [sys.executable, "-m", "venv", "--clear", str(self.folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if made.returncode != 0:
            raise SetupError(venv_remedy(made.stdout))
        self.install(PREREQUISITES, "pip")
        self._made_by.write_text(f"{place}\n{this_python}\n")

    def install(self, arguments, shown):
        """Install packages, and say what to do if that fails."""
        began = time.monotonic()
        print(f"Installing {shown} ...", end=" ", flush=True)
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "install"]
        pip += ["--no-compile"]  # modules are compiled when they are imported: few ever are
        with self.log.open("w", errors="replace") as log:
            end = subprocess.run(
                [*pip, "--no-build-isolation", *self._versions, *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        if end.returncode != 0:
            raise SetupError(pip_remedy(self.log.read_text(errors="replace"), self.log))
        print(f"{time.monotonic() - began:.0f} s", flush=True)


def check_version():
    """Refuse a Python that is too old, naming the others on this machine."""
    if sys.version_info >= OLDEST:
        return
    found = ([*find_pythons(), "/path/to/python{}.{}".format(*OLDEST)])[0]
    raise SetupError(
        "hodgerank needs Python {}.{} or newer and {} is Python {}.{}: "
        "run make PYTHON={} ...".format(*OLDEST, sys.executable, *sys.version_info[:2], found)
    )


def find_pythons():
    """Find the Pythons that hodgerank supports, one of each version, the newest first."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    for pattern in PYTHON_FOLDERS:
        folders += sorted(glob.glob(os.path.expanduser(pattern)), reverse=True)
    found = []
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        paths = (shutil.which(f"python3.{minor}", path=folder) for folder in folders)
        found += filter(None, [next(filter(works, filter(None, paths)), None)])
    return found


def works(python):
    """Whether a Python runs; those that pyenv puts on PATH may not."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.run([python, "-c", ""], **quiet).returncode == 0


def venv_remedy(output):
    """Return what to do if no virtual environment could be created."""
    if "ensurepip" in output:
        version = "{}.{}".format(*sys.version_info)
        return (
            f"Python {version} was installed without venv: on Debian or Ubuntu run "
            f"`apt-get install python{version}-venv`, or name another Python with "
            "make PYTHON=..."
        )
    return explained(output) or f"{output}\nThe virtual environment could not be created."


def pip_remedy(output, log):
    """Return what to do if pip failed: the known causes, or the end of its output."""
    remedy = explained(output)
    errors = [line for line in output.splitlines() if line.startswith("ERROR")]
    shown = "\n".join(errors[-3:] or output.splitlines()[-5:])
    return f"{remedy} Details: {log}" if remedy else f"{shown}\npip failed. Details: {log}"


def explained(output):
    """The remedy for a known cause, or None."""
    return next((remedy for words, remedy in REMEDIES.items() if words in output), None)


def has_font(file):
    """Whether a font is installed."""
    folders = map(os.path.expanduser, FONT_FOLDERS)
    return any(file in files for folder in folders for _, _, files in os.walk(folder))


def provide(name, is_there, package, purpose):
    """Install the Debian package of what is not there; say loudly what is skipped without it."""
    if is_there:
        return
    problem = "there is no apt-get here"
    if shutil.which("apt-get"):
        problem = "only root can install it"
        if os.geteuid() == 0:
            print(f"Installing {package} with apt-get", flush=True)
            problem = apt_install(package)
    if problem:
        print(
            f"NO {name.upper()}: {purpose} ({problem}); install {package} and run make again.",
            file=sys.stderr,
        )


def apt_install(package):
    """Install a Debian package; what went wrong, or None."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "universal_newlines": True}
    apt = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "APT::Update::Error-Mode=any"]
    for attempt in range(5):
        subprocess.run([*apt, "update"], **quiet)
        end = subprocess.run([*apt, "install", "-y", "--no-install-recommends", package], **quiet)
        if end.returncode == 0:
            return None
        if "lock" not in end.stderr.lower():
            break
        time.sleep(10 * (attempt + 1))  # another setup holds the lock of the package lists
    return (end.stderr.strip().splitlines() or ["apt-get failed"])[-1]


if __name__ == "__main__":
    sys.exit(main())
