"""How chat models put an answer into a line: patterns over lines in plain lower case."""

from __future__ import annotations

import re
from collections.abc import Sequence

ANSWER_KEYS = frozenset({"answer", "final_answer", "verdict", "decision", "label", "grade"})
CHOICE_KEYS = frozenset({"choice", "winner", "preference", "preferred", "better", "best"})
_ANSWER = (
    "answer|verdict|decision|judge?ment|conclusion|grade|label|antwort|urteil|réponse|respuesta|"
    "veredicto|risposta|(?:a )?(?:minha )?resposta|antwoord|svar|odpowiedź|cevap|ответ|答案|"
    "回答|答え|結論|结论|답|정답|الإجابة|الجواب|उत्तर"
)
_OWN = "the|my|so|thus|therefore|hence|overall|meine?|die|la|le|ma|mi|il|mia|мой|我的"
_FINAL = "final|endgültige|finale|最终|最終|окончательный"
_IS = "is|would be|ist|lautet|est|es|è|é"
_THING = (
    "item|text|option|answer|response|summary|translation|image|picture|photo|output|candidate|"
    "version|sample|one|choice|essay|story|passage|completion|assistant|model"
)
_BETTER = "better|best|preferred|preferable|superior|stronger|winner|winning"
_I_CHOOSE = (
    "i (?:would |will )?(?:choose|chose|pick|prefer|select|vote for|go with)|"
    "i'(?:d|ll) (?:choose|pick|prefer|select|vote for|go with)"
)

INTRODUCED = re.compile(
    rf"(?:(?:{_OWN}),? ?){{0,3}}(?:(?:{_FINAL}) ?)?(?:{_ANSWER})(?: finale?)?"
    rf"(?: (?:{_IS})(?: ?:)? | ?(?:[:=]|是|为|は):? ?| [-—–] )(?P<rest>\S.*)"
)
"""'answer: a', 'my final answer is a', 'die antwort ist a'; not 'answer -1'."""

CHOSEN = re.compile(
    rf"(?:(?:{_OWN}),? ){{0,3}}(?:(?:{_BETTER})(?: (?:{_THING}))?(?: is| would be| ?:| is ?:)|"
    rf"choice(?: is| ?:| is ?:)|{_I_CHOOSE}) (?:the )?(?:(?:{_THING}) )?(?P<rest>\S.*)"
)
"""'the better text is b', 'i choose item b', 'winner: b'."""

PRAISED = re.compile(
    rf"(?:(?:the )?(?:{_THING}) )?(?P<rest>\S+)(?: wins| is (?:the |clearly |slightly |much |"
    rf"overall )*(?:{_BETTER})(?: (?:{_THING}))?(?: overall)?)?"
)
"""'item b is better', 'b is the better one', 'text b'."""

_SECOND_THOUGHT = re.compile(
    r"\b(?:wait|correction|second thoughts?|changed my mind|i meant?|scratch that|my mistake)\b|"
    r"(?:^|[.!?:] )(?:actually\b|no,)",
    re.IGNORECASE | re.MULTILINE,
)


def contradicted(text: str, others: Sequence[str]) -> bool:
    """Whether what follows an answer takes it back, or speaks for another label.

    >>> contradicted("Item A is better than item B.", ["B"]), contradicted("But B wins.", ["B"])
    (False, True)
    """
    if _SECOND_THOUGHT.search(text):
        return True
    other = "|".join(re.escape(label) for label in others)
    favours = (
        r"\b(?i:better|best|preferred|winner|prefer|choose|pick|answer|verdict)"
        rf"(?i:(?: (?!than\b|over\b|to\b|not\b)\w+){{0,3}}):? (?:{other})\b|"
        rf"\b(?:{other})(?i: wins| (?:is|was|seems|remains|would be)"
        rf"(?: (?!not\b|less\b)\w+){{0,2}} (?:{_BETTER}))\b"
    )
    return re.search(favours, text) is not None
