"""The command that gives the ranking of a campaign from its exported votes."""

from __future__ import annotations

from hodgerank.campaign.facts import CampaignFacts


def ranking_command(facts: CampaignFacts, file: str = "votes.csv") -> str:
    """What to type, where the votes that count are in a file."""
    settings, tasks = facts.settings, facts.tasks
    words = ["hodgerank rank", file, "--model bayes"]
    if settings.ranking == "robust":
        words.append("--robust")
    has_sides = any(row not in tasks.display_unknown for row in tasks.counted.tolist())
    if settings.position is not None and has_sides:
        words.append(f"--sides {settings.position}")
    if len(facts.items.tracks) > 1:
        words.append("--by track")
    return " ".join(words)
