"""refuses: whether a text plainly declines to judge."""

from __future__ import annotations

import re

BEGINNING = 400  # characters; who refuses says so at once
_WORDS = r"[^.!?。\n]{0,80}"  # of the same sentence
_CANNOT = r"\b(?:can't|cannot|can not|unable|not able|won't|will not|must decline)\b"
_TO_SERVE = (
    "(?:assist|help|comply|engage|participate|provide|fulfill?|process|continue|respond|answer)"
)
_REFUSALS = (
    rf"(?:i'm|i am)(?: \w+)? sorry\b{_WORDS}{_CANNOT}",
    rf"(?:sorry|unfortunately|i apologi[sz]e|my apologies|as an ai)\b{_WORDS}{_CANNOT}",
    rf"as an ai\b{_WORDS}\b(?:don't|do not) have\b{_WORDS}\b(?:preferences|opinions)\b",
    rf"i (?:can't|cannot|can not|won't|will not|am unable to|am not able to) {_TO_SERVE}\b",
    rf"i'm (?:unable|not able) to {_TO_SERVE}\b",
    r"i(?: must|'ll have to| have to) decline\b",
    rf"(?:es )?tut mir leid\b{_WORDS}\bnicht\b",
    rf"(?:je suis )?désolée?\b{_WORDS}\bne (?:peux|suis)\b",
    rf"lo siento\b{_WORDS}\bno puedo\b",
    rf"mi dispiace\b{_WORDS}\bnon posso\b",
    rf"(?:desculpe|sinto muito|lamento)\b{_WORDS}\bnão posso\b",
    rf"(?:извините|простите|к сожалению)\b{_WORDS}\bне могу\b",
    rf"(?:很?抱歉|对不起){_WORDS}(?:无法|不能)",
    rf"申し訳{_WORDS}(?:できません|致しかねます|いたしかねます)",
)
_REFUSES = re.compile(rf"\W*(?:{'|'.join(_REFUSALS)})")


def refuses(text: str) -> bool:
    """Whether a reply begins by declining, in one of a few languages.

    >>> refuses("I'm sorry, but I can't help with that."), refuses("I cannot tell them apart.")
    (True, False)
    """
    return _REFUSES.match(text[:BEGINNING].casefold().replace("’", "'")) is not None
