"""Upload: what uploaded files would become, to be looked at before anything is created."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hodgerank.campaign.items import CampaignItem
from hodgerank.errors import HodgeRankError, InvalidArgument
from hodgerank.server.media.examining import Examined
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.uploads.gathering import Refusal
from hodgerank.server.uploads.limits import Limits
from hodgerank.server.uploads.opening import Opener, UploadedFile
from hodgerank.server.uploads.zips import DAMAGED, TROUBLE


@dataclass(frozen=True)
class Upload:
    """What was understood of uploaded files.

    Words are plain text in one line, hostile names made visible; pages escape them. Items and the
    names of `columns` are as they were written.

    Attributes
    ----------
    items
        As they would join; their media are called as the library will call them.
    columns, unused_columns
        Of a table: the column that plays each part (id, text, context, media, track), and others.
    faults
        What is wrong with rows, or with the upload as a whole; such rows are not among the items.
    refusals
        Files that are not taken, and why.
    left_out
        Files that nobody asked for, and why: those of the system, and those that the table does not
        name.
    warnings
        What to know about the items.
    """

    items: tuple[CampaignItem, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    unused_columns: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    left_out: tuple[Refusal, ...] = ()
    warnings: tuple[str, ...] = ()
    media: Mapping[str, tuple[UploadedFile, Examined]] = field(default_factory=dict, repr=False)
    limits: Limits = field(default_factory=Limits, repr=False)

    @property
    def tracks(self) -> dict[str, int]:
        """How many items each has; empty where there are none."""
        return dict(Counter(item.track for item in self.items if item.track))

    @property
    def n_bytes(self) -> int:
        """How much the media hold, each counted once."""
        return sum(examined.size for _, examined in self.media.values())

    def store(self, library: MediaLibrary) -> list[CampaignItem]:
        """Put the media into the library; the items, which may join then.

        The uploaded files must still be where they were. What they hold is looked at again if it
        is not what it was.
        """
        with Opener(self.limits) as opener:
            for name in dict.fromkeys(item.media for item in self.items):
                if name in self.media:
                    file, examined = self.media[name]
                    if _added(library, opener, file, examined) != name:
                        raise InvalidArgument(f"{file.shown} has changed: upload it again")
        return list(self.items)


def _added(library: MediaLibrary, opener: Opener, file: UploadedFile, examined: Examined) -> str:
    with opener.stream(file) as content:
        try:
            return library.add(content, file.name, examined)
        except HodgeRankError:
            raise
        except TROUBLE:
            raise InvalidArgument(f"{file.shown}: {DAMAGED}") from None
