"""Files that are two things at once are refused; noise is not."""

from __future__ import annotations

import io
from random import Random

import pytest

from hodgerank.errors import InvalidArgument
from hodgerank.server.media.validation import require_nothing_hidden, validate_media
from server.media.made import TWO_THINGS_AT_ONCE, jpeg_with_comment, picture, png, zipped


@pytest.mark.parametrize("what", TWO_THINGS_AT_ONCE)
def test_what_is_a_page_a_script_or_a_zip_as_well_is_refused(what):
    make, words = TWO_THINGS_AT_ONCE[what]
    with pytest.raises(InvalidArgument, match=words) as caught:
        validate_media(io.BytesIO(make()))
    assert "save it" in str(caught.value)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_noise_raises_no_alarm(form):
    for seed in range(100):
        content = picture(form, (160, 160), seed)
        assert len(content) > 10_000
        validate_media(io.BytesIO(content))


def test_megabytes_of_random_bytes_raise_no_alarm():
    random = Random(1)
    require_nothing_hidden(random.randbytes(1 << 20) for _ in range(32))


def test_ordinary_metadata_raises_no_alarm():
    metadata = (
        b'<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        b'<rdf:RDF><rdf:Description xmp:CreatorTool="a <b> & c"/></rdf:RDF></x:xmpmeta>'
    )
    validate_media(io.BytesIO(jpeg_with_comment(metadata)))


@pytest.mark.parametrize("size", [1, 3, 7, 64, 1000])
def test_a_beginning_is_found_across_pieces(size):
    content = b"x" * 2500 + b"<script>alert(1)</script>" + b"y" * 2500
    pieces = [content[k : k + size] for k in range(0, len(content), size)]
    with pytest.raises(InvalidArgument, match=r"a script at byte 2,501:"):
        require_nothing_hidden(pieces)


def test_a_zip_is_found_across_pieces():
    content = png() + bytes(3_000_000) + zipped({"a.txt": bytes(100)})
    for size in (1000, 100_000, 1 << 20):
        pieces = [content[k : k + size] for k in range(0, len(content), size)]
        with pytest.raises(InvalidArgument, match="a zip as well"):
            require_nothing_hidden(pieces)


def test_the_letters_of_a_zip_alone_raise_no_alarm():
    require_nothing_hidden([b"PK\5\6" + bytes(100)])
    require_nothing_hidden([b"PK\1\2" + bytes(100)])
    require_nothing_hidden([b"PK\1\2PK\5\6" + bytes(100_000)])  # not where a zip ends
