"""Results go where they should, whole, and over nothing that is read."""

from __future__ import annotations

import os

import polars as pl
import pytest

from hodgerank.cli import vote_options as reading
from hodgerank.cli.outputs import keep_apart
from hodgerank.errors import InvalidArgument
from processes import hodgerank, in_shell, small_disk

VOTES = "left,right,label,worker\na,b,1,w1\nb,c,1,w1\na,c,1,w2\na,b,-1,w2\nb,c,1,w2\n"


@pytest.fixture
def many(tmp_path):
    """Votes whose ranking is larger than the small disk."""
    path = tmp_path / "many.csv"
    rows = (f"item-{k:04d},item-{k + 1:04d},1" for k in range(60))
    path.write_text("\n".join(["left,right,label", *rows]))
    return path


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.json", "x.svg", "x.html", "x.png"])
def test_a_full_disk_is_an_error_and_the_old_result_stays(run, many, tmp_path, name):
    output = tmp_path / name
    output.write_bytes(b"old")
    run("rank", many)  # compiled code does not fit on a small disk either
    with small_disk():
        status, out, err = run("rank", many, "-o", output)
    assert (status, out) == (3, "")
    assert f"{name} cannot be written: File too large" in err
    assert output.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["many.csv", name]


@pytest.mark.parametrize("command", ["rank", "replay", "plan", "workers", "outliers"])
def test_a_full_device_is_an_error_of_every_command(run, write, tmp_path, command):
    votes, output = write(VOTES), tmp_path / "x.csv"
    output.symlink_to("/dev/full")
    options = {"replay": ["--runs", 1, "--votes", 2], "plan": ["--target", 0]}.get(command, [])
    status, out, err = run(command, votes, "-o", output, *options)
    assert (status, out) == (3, "")
    assert err.strip() == f"error: {output} cannot be written: No space left on device"


def test_simulated_votes_on_a_full_device(run, tmp_path):
    output = tmp_path / "x.csv"
    output.symlink_to("/dev/full")
    assert run("simulate", "-o", output)[0] == 3
    assert run("simulate", "-o", tmp_path / "v.csv", "--truth", output)[0] == 3


@pytest.mark.parametrize(
    "arguments",
    [
        "rank -",
        "--help",
        pytest.param("rank - --json", marks=pytest.mark.slow),
        pytest.param("simulate -o -", marks=pytest.mark.slow),
        pytest.param("--version", marks=pytest.mark.slow),
    ],
)
def test_a_full_standard_output_is_a_sentence(arguments):
    with open("/dev/full", "w") as full:
        end = hodgerank(
            *arguments.split(), input=VOTES, capture_output=False, stdout=full, stderr=-1
        )
    assert end.returncode == 3
    assert end.stderr.startswith("error: ")
    assert "No space left on device" in end.stderr
    assert len(end.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "pipeline",
    [
        "rank v.csv | true",
        "simulate -o - --votes 100000 | head -1",
        "--help | true",
        pytest.param("rank v.csv --json | head -1", marks=pytest.mark.slow),
        pytest.param("rank v.csv --json | true", marks=pytest.mark.slow),
        pytest.param("rank v.csv | head -1", marks=pytest.mark.slow),
        pytest.param("simulate -o - --votes 100000 | true", marks=pytest.mark.slow),
        pytest.param("--help | head -1", marks=pytest.mark.slow),
        pytest.param("rank --help | true", marks=pytest.mark.slow),
    ],
)
def test_who_reads_no_further_has_read_enough(tmp_path, pipeline):
    (tmp_path / "v.csv").write_text(VOTES)
    end = in_shell(pipeline, tmp_path)
    assert (end.returncode, end.stderr) == (0, "")


@pytest.mark.slow
def test_closed_streams_are_no_traceback(tmp_path):
    (tmp_path / "v.csv").write_text(VOTES)
    for arguments, status in (("rank - <&-", 3), ("rank v.csv >&-", 0), ("rank no.csv 2>&-", 3)):
        end = in_shell(arguments, tmp_path)
        assert end.returncode == status
        assert "Traceback" not in end.stderr
        assert ("standard input is closed" in end.stderr) == (arguments == "rank - <&-")


def test_bad_names_are_found_before_the_votes_are_read(run, write, tmp_path, monkeypatch):
    def too_early(source):
        raise AssertionError("votes were read")

    path = write(VOTES)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "state.parquet").mkdir()
    monkeypatch.setattr(reading, "heed_interrupts", lambda: too_early(None))
    for arguments in (
        ("rank", path, "-o", tmp_path / "x.xlsx"),
        ("rank", path, "-o", tmp_path / "no" / "x.csv"),
        ("rank", path, "-o", tmp_path / "folder.csv"),
        ("rank", path, "-o", path),
        ("rank", path, "--state", tmp_path / "state.csv"),
        ("rank", path, "--state", tmp_path / "no" / "state.parquet"),
        ("rank", path, "--state", tmp_path / "state.parquet"),
        ("workers", path, "-o", tmp_path / "x.svg"),
        ("simulate", "-o", tmp_path / "folder.csv"),
    ):
        status, out, err = run(*arguments)
        assert (status, out) == (2, ""), arguments
        assert err.startswith("error: ")


def test_no_input_is_overwritten_by_any_name(run, write, tmp_path, monkeypatch):
    path = write(VOTES)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    (tmp_path / "link.csv").symlink_to(path)
    os.link(path, tmp_path / "hard.csv")
    truth = write("item,score\na,1\nb,2\nc,3\n", "truth.csv")
    items, pairs = write("item\na\nd\n", "items.csv"), write("left,right\na,b\n", "pairs.csv")
    before = {file: file.read_bytes() for file in tmp_path.glob("*.csv")}
    for arguments in (
        ("rank", path, "-o", "../votes.csv"),
        ("rank", "../votes.csv", "-o", path),
        ("rank", path, "-o", tmp_path / "link.csv"),
        ("rank", tmp_path / "link.csv", "-o", path),
        ("rank", path, "-o", tmp_path / "hard.csv"),
        ("rank", path, "--truth", truth, "-o", truth),
        ("replay", path, "--truth", truth, "-o", truth),
        ("workers", path, "-o", path),
        ("outliers", path, "-o", path),
        ("plan", path, "--items", items, "-o", items),
        ("plan", path, "--pending", pairs, "-o", pairs),
        ("plan", path, "--exclude", pairs, "-o", "../pairs.csv"),
        ("simulate", "-o", "new.csv", "--truth", "../folder/new.csv"),
    ):
        status, out, err = run(*arguments)
        assert (status, out) == (2, ""), arguments
        assert "choose another file" in err
    assert before == {file: file.read_bytes() for file in tmp_path.glob("*.csv")}
    assert os.listdir() == []


def test_a_pattern_stands_for_what_it_finds_and_will_find(run, tmp_path):
    rows = pl.DataFrame({"left": ["a", "b"], "right": ["b", "c"], "label": [1, 1]})
    (tmp_path / "votes" / "deep").mkdir(parents=True)
    rows.write_parquet(tmp_path / "votes" / "1.parquet")
    rows.write_parquet(tmp_path / "votes" / "deep" / "2.parquet")
    (tmp_path / "link").symlink_to(tmp_path / "votes")
    flat, deep = tmp_path / "votes" / "*.parquet", tmp_path / "votes" / "**" / "*.parquet"
    for pattern, name in (
        (flat, "votes/1.parquet"),
        (flat, "votes/new.parquet"),
        (flat, "link/new.parquet"),
        (deep, "votes/deep/new.parquet"),
    ):
        for option in ("-o", "--state"):
            status, _, err = run("rank", pattern, option, tmp_path / name)
            assert status == 2
            assert "choose another file" in err
    assert run("rank", flat, "-o", tmp_path / "votes" / "deep" / "new.parquet")[0] == 0
    assert run("rank", flat, "-o", tmp_path / "votes" / "new.csv")[0] == 0


def test_several_inputs_and_outputs_are_kept_apart(tmp_path):
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    keep_apart([one, None], [two, None])
    for outputs, inputs in (([one], [two, one]), ([two, one], [str(one)]), ([one, one], [])):
        with pytest.raises(InvalidArgument, match="choose another file"):
            keep_apart(outputs, inputs)


def test_standard_input_from_the_output_is_noticed(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text(VOTES)
    with path.open() as stdin:
        end = hodgerank("rank", "-", "-o", path, stdin=stdin)
    assert end.returncode == 2
    assert path.read_text() == VOTES
