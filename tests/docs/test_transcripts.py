from __future__ import annotations

import os

import pytest
from tests.docs.blocks import UnknownFence, blocks_of
from tests.docs.running import BlockFailed, renewed_blocks
from tests.docs.transcript import matches, renewed, steps_of

PAGE = """
<!-- file: votes.csv -->
```csv
left,right,winner
tea,milk,tea
```

```python
x = 1 + 1
print(x)
```

```text
2
```

- in a list

  ```console
  $ cat votes.csv | head -1
  left,right,winner
  ```
"""


def run(page, folder):
    return [(block.kind, shown == block.text) for block, shown in renewed_blocks(page, folder)]


def test_a_page_that_tells_the_truth_stays_as_it_is(tmp_path):
    assert run(PAGE, tmp_path) == [
        ("data", True),
        ("python", True),
        ("output", True),
        ("console", True),
    ]


@pytest.mark.parametrize(
    ("truth", "lie"), [("\n2\n", "\n3\n"), ("  left,right,winner", "  left,right")]
)
def test_a_page_that_lies_is_renewed(truth, lie, tmp_path):
    assert not all(same for _, same in run(PAGE.replace(truth, lie), tmp_path))


def test_what_is_printed_must_be_shown(tmp_path):
    with pytest.raises(BlockFailed, match="this prints"):
        run("```python\nprint(1)\n```\n", tmp_path)


def test_examples_of_a_session_are_checked_and_share_names(tmp_path):
    page = "```python\nx = 2\n```\n\n```python\n>>> x + 1\n{}\n```\n"
    assert run(page.format(3), tmp_path)
    with pytest.raises(BlockFailed, match="Expected"):
        run(page.format(4), tmp_path)


def test_code_that_fails_fails_the_page(tmp_path):
    with pytest.raises(BlockFailed, match="line 2: ZeroDivisionError"):
        run("```python\n1 / 0\n```\n", tmp_path)


def test_programs_that_tests_do_not_run_are_refused(tmp_path):
    with pytest.raises(BlockFailed, match="runs pip"):
        run("```console\n$ echo a | pip install b\n```\n", tmp_path)


def test_a_program_in_the_background_lives_as_long_as_its_page(tmp_path):
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    commands = [f'python -c "{program}" > pid.txt &', "export WHO=$(cat pid.txt)", "echo $WHO"]
    page = "```console\n" + "".join(f"$ {command}\n" for command in commands) + "```\n"
    (shown,) = (text for _, text in renewed_blocks(page, tmp_path))
    pid = int((tmp_path / "pid.txt").read_text())
    assert shown == page.replace("```\n", f"{pid}\n").removeprefix("```console\n")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert "WHO" not in os.environ


def test_a_program_in_the_background_must_write_to_a_file(tmp_path):
    with pytest.raises(BlockFailed, match="needs a file"):
        run("```console\n$ python -c 1 &\n```\n", tmp_path)


def test_fences_of_unknown_languages_are_refused():
    with pytest.raises(UnknownFence, match="'rust'"):
        blocks_of("```rust\n```\n")


def test_options_of_a_cell_are_not_code():
    (cell,) = blocks_of("```{code-cell} python\n:tags: [hide-input]\n\nx = 1\n```\n")
    assert (cell.kind, cell.text) == ("cell", "x = 1\n")


@pytest.mark.parametrize(
    ("expected", "same"),
    [
        (("a", "b", "c", "d"), True),
        (("a", "..."), True),
        (("...", "d"), True),
        (("a", "...", "c", "...", "d"), True),
        (("...",), True),
        (("a", "...", "d", "...", "d"), False),
        (("b", "..."), False),
        (("a", "...", "c"), False),
        (("a", "b", "c"), False),
    ],
)
def test_three_dots_stand_for_any_lines(expected, same):
    assert matches(expected, ("a", "b", "c", "d")) is same


def test_renewing_keeps_what_a_page_leaves_out():
    expected = ("read 10 rows", "...", "  3  tea", "...", "written to a.csv")
    shown = ("read 12 rows", "1  milk", "2  cola", "  3  tees", "4  beer", "written to b.csv")
    fresh = ("read 12 rows", "...", "  3  tees", "...", "written to b.csv")
    assert renewed(expected, shown) == fresh


def test_a_command_may_go_on_in_the_next_line():
    (step,) = steps_of("$ hodgerank rank votes.csv \\\n    --top 3\nrank\n")
    assert step.command.split() == ["hodgerank", "rank", "votes.csv", "--top", "3"]
    assert step.expected == ("rank",)
