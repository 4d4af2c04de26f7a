"""A folder in which every file is called by what is in it, and is there wholly or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from hodgerank.errors import CannotWrite, InvalidArgument
from hodgerank.server.media import library as module
from hodgerank.server.media.kinds import KINDS
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.media.validation import ValidatedFile, validate_media
from server.media.kept import names_in
from server.media.made import EVERY_KIND, NOT_TAKEN, TWO_THINGS_AT_ONCE, picture, png, wav

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
TESTS = Path(__file__).parents[2]


@pytest.fixture
def library(tmp_path):
    return MediaLibrary(tmp_path / "media")


def files_in(folder: Path) -> set[str]:
    """Everything below a folder, whatever it is."""
    return {
        str(Path(at, name).relative_to(folder))
        for at, _, names in os.walk(folder)
        for name in names
    }


@pytest.mark.parametrize("ending", EVERY_KIND)
def test_a_file_is_kept_as_it_is_by_its_hash(library, tmp_path, ending):
    content = EVERY_KIND[ending][1]()
    sha256 = hashlib.sha256(content).hexdigest()
    path = tmp_path / "anything.exe"
    path.write_bytes(content)
    for source in (content, path, io.BytesIO(content)):
        assert library.add(source, "anything.exe") == f"media:{sha256}.{ending}"
    name = f"media:{sha256}.{ending}"
    assert library.path_of(name) == library.folder / sha256[:2] / f"{sha256}.{ending}"
    assert library.path_of(name).read_bytes() == content
    assert library.kind_of(name) == KINDS[ending]
    assert files_in(library.folder) == {f"{sha256[:2]}/{sha256}.{ending}"}


@given(st.sampled_from(sorted(EVERY_KIND)), st.integers(0, 50), st.binary(max_size=40))
def test_names_lead_back_to_the_bytes_within_the_folder(tmp_path_factory, ending, seed, more):
    library = MediaLibrary(tmp_path_factory.mktemp("media"))
    content = png(seed) if ending == "png" else EVERY_KIND[ending][1]()
    try:
        name = library.add(content + more, "x")
    except InvalidArgument:
        assert files_in(library.folder) == set()
        return
    path = library.path_of(name)
    assert path.read_bytes() == content + more
    assert path.resolve().is_relative_to(library.folder.resolve())


@given(
    st.text(max_size=90)
    | st.from_regex(r"(media:)?[0-9a-fA-F./\\]{60,70}\.?(png|svg|html|php)?\n?", fullmatch=True)
)
def test_no_name_leads_out_of_the_folder(tmp_path_factory, name):
    library = MediaLibrary(tmp_path_factory.mktemp("media"))
    (library.folder.parent / "secret.png").write_bytes(png())
    assert name not in library
    with pytest.raises(InvalidArgument, match="no media called"):
        library.path_of(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "media:",
        "../secret.png",
        "media:../../secret.png",
        f"media:{'a' * 64}.svg",
        f"media:{'a' * 64}.html",
        f"media:{'A' * 64}.png",
        f"media:{'a' * 64}.png\n",
        f"media:{'a' * 63}/.png",
        f"{'a' * 64}.png",
        "media:\x00",
        "/etc/passwd",
    ],
)
def test_a_name_that_is_none_of_ours_is_refused_in_one_line(library, name):
    for ask in (library.path_of, library.kind_of):
        with pytest.raises(InvalidArgument) as caught:
            ask(name)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [content for content, _ in NOT_TAKEN.values()]
    + [make() for make, _ in TWO_THINGS_AT_ONCE.values()],
    ids=[*NOT_TAKEN, *TWO_THINGS_AT_ONCE],  # archives have the time in them
)
def test_what_is_refused_leaves_nothing(library, content):
    with pytest.raises(InvalidArgument, match=r"^evil\\x1b\[2J\\u202egnp\.exe: "):
        library.add(content, "evil\x1b[2J\u202egnp.exe")
    assert files_in(library.folder) == set()


def test_files_that_are_too_large_are_refused_while_they_are_read(tmp_path):
    library = MediaLibrary(tmp_path / "media", largest=1 << 20)
    read = 0

    class Endless(io.RawIOBase):
        def read(self, size=-1):
            nonlocal read
            read += size
            return bytes(size)

    with pytest.raises(InvalidArgument, match=r"endless: it has more than 1 MB: make it smaller"):
        library.add(Endless(), "endless")
    assert read <= 3 << 20
    assert files_in(library.folder) == set()


def test_what_was_examined_is_not_examined_again(library, monkeypatch):
    content = png()
    examined = validate_media(io.BytesIO(content))
    monkeypatch.setattr(library, "_validate", None)
    assert library.add(content, "a", examined) == examined.name


def test_other_bytes_than_were_examined_are_examined(library):
    examined = validate_media(io.BytesIO(png(1)))
    assert library.add(png(2), "a", examined) == validate_media(io.BytesIO(png(2))).name
    with pytest.raises(InvalidArgument, match="SVG"):
        library.add(NOT_TAKEN["SVG"][0], "a", examined)


@pytest.mark.parametrize("place", ["nowhere.png", ".", "a\0b"])
def test_paths_that_are_no_files_are_refused(library, tmp_path, place):
    with pytest.raises(InvalidArgument, match=r"it cannot be read|it is not a file"):
        library.add(tmp_path / place, "a")
    assert files_in(library.folder) == set()


@on_linux
def test_pipes_and_devices_are_refused_at_once(library, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InvalidArgument, match="it is not a file"):
            library.add(place, "a")


def test_a_source_that_fails_is_refused(library):
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(InvalidArgument, match="cannot be read: Input/output error"):
        library.add(Broken(), "a")
    assert files_in(library.folder) == set()


@on_linux
def test_links_in_the_folder_are_not_followed(library, tmp_path):
    content = png()
    name = library.add(content, "a")
    path = library.path_of(name)
    outside = tmp_path / "outside.png"
    outside.write_bytes(content)
    path.unlink()
    path.symlink_to(outside)
    assert name not in library
    with pytest.raises(InvalidArgument):
        library.path_of(name)
    assert library.add(content, "a") == name  # the link gives way to the file
    assert not library.path_of(name).is_symlink()
    assert outside.read_bytes() == content


@on_linux
def test_a_shelf_that_is_a_link_takes_nothing(library, tmp_path):
    content = png()
    name = validate_media(io.BytesIO(content)).name
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (library.folder / name[6:8]).symlink_to(elsewhere)
    (elsewhere / name[6:]).write_bytes(content)
    assert name not in library
    with pytest.raises(CannotWrite, match="is not a folder"):
        library.add(content, "a")
    assert files_in(library.folder) == set()


def test_a_file_where_a_shelf_should_be_is_said(library):
    content = png()
    name = validate_media(io.BytesIO(content)).name
    (library.folder / name[6:8]).write_bytes(b"")
    with pytest.raises(CannotWrite, match="is not a folder"):
        library.add(content, "a")


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CannotWrite, match=r"the media folder .* cannot be written"):
        MediaLibrary(tmp_path / "file" / "media")


def test_other_files_in_the_folder_are_left_alone(tmp_path):
    folder = tmp_path / "media"
    (folder / "ab").mkdir(parents=True)
    others = {"notes.txt", ".hidden.part", ".part", "ab/notes.txt", f".{'g' * 32}.part"}
    for name in others:
        (folder / name).write_bytes(b"mine")
    library = MediaLibrary(folder)
    assert names_in(library.folder) == []
    assert files_in(folder) == others


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    left = tmp_path / f".{'0a' * 16}.part"
    left.write_bytes(b"half")
    MediaLibrary(tmp_path)
    assert not left.exists()


@on_linux
def test_a_file_that_another_process_takes_for_a_leftover_is_begun_again(library, monkeypatch):
    claim, tries = module._claim, []

    def too_late(descriptor: int) -> None:
        tries.append(descriptor)
        if len(tries) < 3:
            MediaLibrary(library.folder)  # which begins, and tidies up
        claim(descriptor)

    monkeypatch.setattr(module, "_claim", too_late)
    monkeypatch.setattr(MediaLibrary, "_remove_left_behind", lambda self: tidied(self, claim))
    assert library.add(png(), "a") in library
    assert len(tries) == 3
    assert len(files_in(library.folder)) == 1
    tries.clear()
    monkeypatch.setattr(module, "_MOST_TRIES", 2)
    with pytest.raises(CannotWrite, match="other processes remove"):
        library.add(png(), "a")


def tidied(library: MediaLibrary, claim: Callable[[int], None]) -> None:
    for place in library.folder.glob(".*.part"):
        with place.open("rb") as file:
            claim(file.fileno())
            place.unlink()


def test_a_file_that_another_process_is_removing_is_begun_again(library, monkeypatch):
    claim, removed = module._claim, []

    def held(descriptor: int) -> None:
        if not removed:
            [name] = files_in(library.folder)
            removed.append(library.folder / name)
            raise BlockingIOError
        removed[0].unlink(missing_ok=True)
        claim(descriptor)

    monkeypatch.setattr(module, "_claim", held)
    assert library.add(png(), "a") in library
    assert len(files_in(library.folder)) == 1


def test_a_disk_without_locks_is_used_all_the_same(tmp_path, monkeypatch):
    def without_locks(descriptor: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(module, "_claim", without_locks)
    library = MediaLibrary(tmp_path)
    assert library.add(png(), "a") in library


ENDLESS = """
import sys, time
from pathlib import Path
from hodgerank.server.media.library import MediaLibrary

class Slow:
    def read(self, size=-1):
        print("reading", flush=True)
        time.sleep(0.05)
        return b"GIF89a" + bytes(100_000)

MediaLibrary(Path(sys.argv[1])).add(Slow(), "slow")
"""


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )


@on_linux
def test_a_file_that_is_being_written_is_left_to_its_process_until_that_is_killed(tmp_path):
    process = started(ENDLESS, tmp_path)
    assert process.stdout is not None
    try:
        for _ in range(3):
            assert process.stdout.readline() == "reading\n"
        [part] = files_in(tmp_path)
        assert names_in(MediaLibrary(tmp_path).folder) == []
        assert files_in(tmp_path) == {part}
    finally:
        process.kill()
        process.wait(30)
        process.stdout.close()
    assert files_in(tmp_path) == {part}
    assert names_in(MediaLibrary(tmp_path).folder) == []
    assert files_in(tmp_path) == set()


ADDING = """
import sys
from server.media.made import png
from hodgerank.server.media.library import MediaLibrary

for turn in range(6):
    library = MediaLibrary(sys.argv[1])  # which tidies up each time
    for seed in range(20):
        print(library.add(png(seed), "a"))
"""


def test_processes_add_the_same_files_at_once(tmp_path):
    running = [started(ADDING, tmp_path) for _ in range(4)]
    told = [process.communicate(timeout=120)[0].split() for process in running]
    assert [process.returncode for process in running] == [0] * 4
    expected = sorted(validate_media(io.BytesIO(png(seed))).name for seed in range(20))
    assert all(sorted(set(names)) == expected for names in told)
    library = MediaLibrary(tmp_path)
    assert names_in(library.folder) == expected
    assert len(files_in(tmp_path)) == 20
    for seed in range(20):
        name = validate_media(io.BytesIO(png(seed))).name
        assert library.path_of(name).read_bytes() == png(seed)


KILLED = """
import sys
from itertools import count
from server.media.made import picture
from hodgerank.server.media.library import MediaLibrary

library = MediaLibrary(sys.argv[1])
for seed in count(int(sys.argv[2])):
    print(library.add(picture("PNG", (60, 60), seed), "a"), flush=True)
"""


@pytest.mark.slow
@on_linux
def test_what_was_acknowledged_survives_a_kill_and_nothing_is_half_there(tmp_path):
    acknowledged: set[str] = set()
    for turn in range(8):
        process = started(KILLED, tmp_path, 1000 * turn)
        assert process.stdout is not None
        acknowledged.add(process.stdout.readline().strip())
        time.sleep(0.013 * turn)
        process.kill()
        acknowledged |= {line for line in process.stdout.read().split("\n")[:-1] if line}
        process.stdout.close()
        process.wait(30)
    library = MediaLibrary(tmp_path)
    assert acknowledged <= set(names_in(library.folder))
    for name in names_in(library.folder):
        content = library.path_of(name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == name[6:70]
    assert len(files_in(tmp_path)) == len(names_in(library.folder))


SMALL_DISK = """
import io, resource, sys
from server.media.made import wav
from hodgerank.errors import CannotWrite
from hodgerank.server.media.library import MediaLibrary

library = MediaLibrary(sys.argv[1])
small, large = wav(0.1), wav(5)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
print(library.add(small, "small"))
try:
    library.add(io.BytesIO(large), "large")
except CannotWrite as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
print(library.add(large, "large"))
"""


@on_linux
def test_a_full_disk_is_said_and_leaves_nothing_half_there(tmp_path):
    process = started(SMALL_DISK, tmp_path)
    out = process.communicate(timeout=120)[0].splitlines()
    assert process.returncode == 0
    assert len(out) == 3
    assert re.fullmatch(r"the media folder .* cannot be written: File too large", out[1])
    library = MediaLibrary(tmp_path)
    assert names_in(library.folder) == sorted([out[0], out[2]])
    assert library.path_of(out[2]).read_bytes() == wav(5)
    assert len(files_in(tmp_path)) == 2


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fails_at_the_last_step_leaves_nothing(library, monkeypatch, step):
    def failing(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, failing)
    with pytest.raises(CannotWrite, match="No space left on device"):
        library.add(png(), "a")
    monkeypatch.undo()
    assert files_in(library.folder) == set()
    library.add(png(), "a")


def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path):
    import tracemalloc

    head = wav(0.1)
    size = 64 << 20
    path = tmp_path / "long.wav"
    place = head.index(b"data") + 4
    with path.open("wb") as file:
        file.write(head[:place] + b"\xff" * 4)
        file.truncate(size)
    library = MediaLibrary(tmp_path / "media")
    tracemalloc.start()
    library.add(path, "long.wav")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 << 20


def test_the_bytes_of_pictures_are_not_touched(library):
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    content = picture("JPEG", exif=exif, comment=b"as it was", quality=31)
    assert library.path_of(library.add(content, "a")).read_bytes() == content


def test_what_is_examined_has_a_name():
    assert ValidatedFile(KINDS["png"], "0" * 64, 1).name == f"media:{'0' * 64}.png"
