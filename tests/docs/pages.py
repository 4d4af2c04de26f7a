"""Which pages there are."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"


def site_pages() -> list[Path]:
    """The pages of the site, without what a build leaves behind."""
    return sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)


def runnable_pages() -> list[Path]:
    """The pages whose blocks are run."""
    return [REPOSITORY / "README.md", *site_pages()]


def linking_pages() -> list[Path]:
    """The pages whose links are followed."""
    others = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    return [*runnable_pages(), *(REPOSITORY / name for name in others)]


def name_of(page: Path) -> str:
    """The page as a reader of test results knows it."""
    return page.relative_to(REPOSITORY).as_posix()
