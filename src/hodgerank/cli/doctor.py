"""hodgerank doctor: whether this installation is sound, and what would mend it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hodgerank.cli.exit_status import BAD_INPUT
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import CommandResult

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.cli.doctor_checks import Finding


@dataclass(frozen=True)
class DoctorResult(CommandResult):
    """What was found."""

    findings: "list[Finding]"
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """Not 0 where commands fail; what is merely missing is no failure."""
        return BAD_INPUT if any(f.problem and f.is_essential for f in self.findings) else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        found: dict[str, dict[str, str]] = {}
        for finding in self.findings:
            found.setdefault(finding.about.replace(" ", "_"), {})[finding.name] = finding.value
        problems = [
            {"about": f.about, "name": f.name, "problem": f.problem, "essential": f.is_essential}
            for f in self.findings
            if f.problem
        ]
        return {**found, "problems": problems, "verdict": self.verdict}

    @property
    def verdict(self) -> str:
        """The last line."""
        wrong = [f.name for f in self.findings if f.problem]
        missing = [f.name for f in self.findings if f.about == "extras" and f.value != "installed"]
        words = f"to mend: {', '.join(wrong)}" if wrong else "all is well"
        return f"{words}; extras not installed: {', '.join(missing)}" if missing else words

    def show(self, console: "Console") -> None:
        """Section by section, then one line."""
        from hodgerank.cli.console import show_warnings, verbatim
        from hodgerank.cli.fitting import add_names, plain_table, show_table

        for about in dict.fromkeys(finding.about for finding in self.findings):
            console.print(about, style="bold")
            table = plain_table(show_header=False)
            table.add_column("", no_wrap=True)
            add_names(table, "")
            findings = [finding for finding in self.findings if finding.about == about]
            for finding in findings:
                table.add_row(f"  {finding.name}", verbatim(finding.value))
            show_table(table, console)
            show_warnings((f"{f.name}: {f.problem}" for f in findings if f.problem), console)
            console.print()
        has_problem = any(finding.problem for finding in self.findings)
        console.print(verbatim(self.verdict, "bold yellow" if has_problem else "bold green"))


def doctor(as_json: AsJson = False) -> DoctorResult:
    """Look at this installation: versions, compiler, its cache, data sets, extras, terminal.

    Ends with one line that says whether all is well. What is missing comes with the command that
    adds it. Nothing is downloaded or changed.

    Examples:
      hodgerank doctor

      hodgerank doctor --json | jq .problems
    """
    from hodgerank.cli.doctor_checks import look_at_everything

    return DoctorResult(look_at_everything(), as_json)
