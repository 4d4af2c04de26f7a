"""Replies of judges: from text to an outcome, or the reason why there is none."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isnan
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from hodgerank.display import short

if TYPE_CHECKING:
    from hodgerank.judges.endpoint.completion import Reply, TokenChoice
    from hodgerank.judges.prompts.template import Template


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
    """Return whether text after an answer revokes it or supports another label.

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


LONGEST_VERDICT = 120  # characters of a line that says no more than which label it is
_PAIRS = "()[]{}<>\"\"''“”‘’„“«»「」『』【】$$__"
_WRAPPED = {_PAIRS[place : place + 2] for place in range(0, len(_PAIRS), 2)}
_LATEX = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf)\{(.*)\}")
_BULLET = re.compile(r"[-+*•·>]\s")
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection)>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:answer|final_answer|verdict|choice|output|result)>", re.IGNORECASE)
_RULE = re.compile(r"```\w*|[-*_=]{3,}")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\ufe0f"))


class Named(NamedTuple):
    """A label, and whether the first line names it; otherwise the last does."""

    label: str
    in_first_line: bool


def named_label(text: str, labels: Mapping[str, float | None], *, is_cut: bool) -> Named | str:
    r"""The label that a reply names, or in words why there is none.

    The reply must be the label, or end or begin with a line that says no more than which label it
    is; all lines that say so must agree. Of a reply that was cut off only a line that is complete
    counts: "A" may be the beginning of "A summary should ...".

    >>> named_label("Both are fine, but:\n\n**Answer: B**", {"A": 1, "B": -1}, is_cut=False)
    Named(label='B', in_first_line=False)
    >>> named_label("A or B", {"A": 1, "B": -1}, is_cut=False)
    'the reply names no label as its answer'
    """
    spoken = without_thoughts(text)
    lines = _lines(spoken)
    if not lines:
        return "the reply is empty"
    known = _Labels(labels)
    said = [known.said_in(line) for line in lines]
    different = list(dict.fromkeys(label for label in said if label))
    if len(different) > 1:
        return f"the reply says {' and '.join(different)}"
    first, last = said[0], said[-1]
    if last and not is_cut:
        return Named(last, in_first_line=len(lines) == 1)
    is_complete = len(lines) > 1 or spoken.endswith(("\n", "\r"))
    if first and is_complete and not (is_cut and _may_be_heading(lines[0], first)):
        others = [label for label in labels if label != first]
        if contradicted("\n".join(lines[1:]), others):
            return f"the reply begins with {first} and then contradicts it"
        return Named(first, in_first_line=True)
    return "the reply names no label as its answer"


def matched_label(text: str, pattern: str, labels: Mapping[str, float | None]) -> Named | str:
    r"""Return the label that a regular expression finds, in its first group if it has one.

    >>> matched_label("Score: 3\nWinner=b", r"Winner=(\w)", {"A": 1, "B": -1})
    Named(label='B', in_first_line=False)
    """
    by_look = {_plain(label): label for label in labels}
    spoken = without_thoughts(text)
    found = [match[1] if match.re.groups else match[0] for match in re.finditer(pattern, spoken)]
    named = list(dict.fromkeys(by_look.get(_plain(label or "")) for label in found))
    if not found:
        return "the reply has nothing that the pattern describes"
    if None in named:
        return "the pattern found something that is not a label"
    if len(named) > 1:
        return f"the pattern found {' and '.join(label for label in named if label)}"
    return Named(str(named[0]), in_first_line=False)


def without_thoughts(text: str) -> str:
    """Return a reply without the model's reasoning: <think> ... </think>."""
    end = len(text)
    for tag in reversed(list(_THOUGHT.finditer(text))):
        if tag[1]:
            return text[tag.end() : end]
        end = tag.start()  # of a thought that was not finished
    return text[:end]


class _Labels:
    """Return the labels in normalised form."""

    def __init__(self, labels: Mapping[str, float | None]) -> None:
        self._by_look = {_plain(label): label for label in labels}
        # 'text 2' is not the grade 2, and an item is neither a tie nor an abstention
        self._items = {label for label, y in labels.items() if y and not label.isdecimal()}

    def said_in(self, line: str) -> str | None:
        """Return the label, if the line names it and nothing else."""
        if line.startswith("{") and (pairs := _object(line)):
            return self._said_in_json(pairs)
        if len(line) > LONGEST_VERDICT or _BULLET.match(line):  # an entry of a list is no answer
            return None
        plain = _plain(line)
        if introduced := INTRODUCED.fullmatch(plain):
            plain = _plain(introduced["rest"])
        return self._by_look.get(plain) or self._item_in(plain)

    def _item_in(self, plain: str) -> str | None:
        for pattern in (CHOSEN, PRAISED):
            if found := pattern.fullmatch(plain):
                label = self._by_look.get(_plain(found["rest"]))
                if label in self._items:
                    return label
        return None

    def _said_in_json(self, pairs: list[tuple[str, object]]) -> str | None:
        said = set()
        for key, value in pairs:
            name = _plain(key).replace(" ", "_")
            if name in ANSWER_KEYS | CHOICE_KEYS:
                label = self.said_in(str(value)) if isinstance(value, str | int) else None
                said.add(label if name in ANSWER_KEYS or label in self._items else None)
        return said.pop() if len(said) == 1 else None


def _lines(text: str) -> list[str]:
    """Return the lines with content; a JSON object at the end is one line."""
    start, end = text.rfind("{"), text.rfind("}") + 1
    joined = " ".join(text[start:end].splitlines()) if 0 <= start < end else ""
    if _object(joined):
        text = f"{text[:start]}\n{joined}\n{text[end:]}"
    lines = (line.strip() for line in _TAG.sub("\n", text).splitlines())
    return [line for line in lines if line and not _RULE.fullmatch(line)]


def _may_be_heading(line: str, label: str) -> bool:
    """Return whether a comment on this item may follow: '**A**', 'Item A'."""
    if INTRODUCED.fullmatch(_plain(line)):
        return False
    return line.rstrip(".").casefold() != label.casefold()


def _plain(line: str) -> str:
    """Normalise a line: case, width, emphasis, quotes, brackets and full stop."""
    line = unicodedata.normalize("NFKC", line).translate(_INVISIBLE).replace("’", "'")
    line = " ".join(re.sub(r"[*`]|^#+ ", "", line).casefold().split())
    before = None
    while line != before:
        before = line
        line = re.sub(r"(?<![.!。])[.!。]$", "", line).strip()
        if len(line) > 2 and line[0] + line[-1] in _WRAPPED:
            line = line[1:-1].strip()
        if found := _LATEX.fullmatch(line):
            line = found[1]
    return line


def _object(line: str) -> list[tuple[str, object]]:
    """Return the keys and values of a JSON object, repeated keys too; nothing otherwise."""
    try:
        pairs = json.loads(line, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return []
    return pairs if isinstance(pairs, list) else []


BEGINNING = 400  # characters; a refusal comes at the beginning
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
    """Return whether a reply begins with a refusal, in one of several languages.

    >>> refuses("I'm sorry, but I can't help with that."), refuses("I cannot tell them apart.")
    (True, False)
    """
    return _REFUSES.match(text[:BEGINNING].casefold().replace("’", "'")) is not None


_AROUND = " \t\r\n*_`\"'“”[](){}<>:.ĠĊ▁"  # of a token: what may stand around a label, and spaces
_END = re.compile(r"\s*|<[^<>]*>")  # what servers put behind the last token, such as </s>


def label_probabilities(
    text: str, found: Named, tokens: Sequence[TokenChoice], labels: Iterable[str]
) -> dict[str, float] | None:
    """Return the probability of each label at the token of the answer; None if there is none.

    Tokens that differ only by spaces, case and punctuation are added. The rest to 1 is the
    probability of other tokens.
    """
    by_look = {label.casefold(): label for label in labels}
    place = _place_of(text, found, tokens, by_look)
    if place is None:
        return None
    masses = dict.fromkeys(by_look.values(), 0.0)
    for token, logprob in place.alternatives.items():
        label = by_look.get(_look(token))
        if label is not None and not isnan(logprob):
            masses[label] += exp(min(logprob, 0.0))
    return masses


def _place_of(
    text: str, found: Named, tokens: Sequence[TokenChoice], by_look: dict[str, str]
) -> TokenChoice | None:
    """Return the token of the label, in the line that names it."""
    spoken = _spoken_tokens(text, tokens, from_start=found.in_first_line)
    places = [place for place in spoken if _look(place.token) in by_look]
    if not places:
        return None
    place = places[0] if found.in_first_line else places[-1]
    return place if by_look[_look(place.token)] == found.label else None


def _spoken_tokens(
    text: str, tokens: Sequence[TokenChoice], *, from_start: bool
) -> Sequence[TokenChoice]:
    """Return the tokens of the reply without its reasoning; none if they cannot be separated.

    Tokens may go on behind the text, or hold thoughts that the text does not, or end before it.
    """
    spoken = without_thoughts(text).strip()
    n_tokens = len(tokens)
    while n_tokens and _END.fullmatch(tokens[n_tokens - 1].token):
        n_tokens -= 1
    told = "".join(place.token for place in tokens[:n_tokens]).rstrip()
    if spoken and without_thoughts(told).strip() == spoken:
        start, end = len(told) - len(spoken), 0
        for place, choice in enumerate(tokens[:n_tokens]):
            end += len(choice.token)
            if end > start:
                return tokens[place:n_tokens]
    first_line = spoken.partition("\n")[0]
    return tokens if from_start and told.lstrip().startswith(first_line) else ()


def _look(token: str) -> str:
    return token.strip(_AROUND).casefold()


Status: TypeAlias = Literal["answered", "abstained", "refused", "unparsable", "failed"]
Labels: TypeAlias = Mapping[str, float | None]

CUT = ("length", "max_tokens")
FILTERED = ("content_filter",)
LEAST_MASS = 0.5  # of the labels together; below it something else was about to be said
MOST_MASS = 1.01  # of rounded probabilities


@dataclass(frozen=True)
class Verdict:
    """Verdict of a reply.

    Attributes
    ----------
    status
        A tie is an answer; "failed" is for calls that brought no reply.
    outcome
        Outcome of the left item, in [-1, 1]; None unless answered.
    probabilities
        Probabilities of the labels, if requested and returned; the rest to 1 is for other tokens.
    detail
        Why there is no outcome.
    """

    status: Status
    outcome: float | None = None
    probabilities: Mapping[str, float] | None = None
    detail: str = ""


NO_PROBABILITIES = (
    "returned no log-probabilities: leave out --probabilities, or use a model that returns them"
)


def read_reply(
    reply: Reply, expected: Template | Labels, *, by_probability: bool = False
) -> Verdict:
    """Read the verdict of a reply, only if it clearly names one label.

    Parameters
    ----------
    reply
        Reply of the endpoint.
    expected
        Allowed labels, and the outcome of the left item for each; None: no answer. Of a template,
        its pattern, if it has one, decides alone which label a reply names.
    by_probability
        Use the mean outcome by the probabilities of the labels, not that of the sampled label. The
        judge abstains if that is more probable than all outcomes together.
    """
    if reply.refusal and reply.refusal.strip():
        return Verdict("refused", detail=short(reply.refusal.strip()))
    if reply.finish_reason in FILTERED:
        return Verdict("refused", detail="a content filter stopped the reply")
    is_cut = reply.finish_reason in CUT
    pattern = None if isinstance(expected, Mapping) else expected.pattern
    labels = expected if isinstance(expected, Mapping) else expected.labels
    if pattern is None:
        found = named_label(reply.text, labels, is_cut=is_cut)
    else:
        found = matched_label(reply.text, pattern, labels)
    if isinstance(found, str):
        return _without_label(reply.text, found, is_cut=is_cut)
    if not by_probability:
        outcome = labels[found.label]
        return Verdict("abstained") if outcome is None else Verdict("answered", outcome)
    if not any(place.alternatives for place in reply.first_tokens):
        return _unparsable(f"the endpoint {NO_PROBABILITIES}")
    masses = label_probabilities(reply.text, found, reply.first_tokens, labels)
    if masses is None:
        return _unparsable(
            f"no token is the label {found.label} in the place where the reply names it: "
            f"{short(reply.text.strip())}"
        )
    return _mean_outcome(masses, labels)


def _without_label(text: str, why: str, *, is_cut: bool) -> Verdict:
    spoken = without_thoughts(text).strip()
    if refuses(spoken):
        return Verdict("refused", detail=short(spoken))
    if is_cut:
        why = "the reply was cut off before it named a label: raise --max-tokens"
    return _unparsable(f"{why}: {short(spoken)}" if spoken else why)


def _mean_outcome(masses: Mapping[str, float], labels: Labels) -> Verdict:
    total = sum(masses.values())
    if not LEAST_MASS <= total <= MOST_MASS:
        why = f"the probabilities of the labels sum to {total:.2f}"
        return Verdict("unparsable", None, masses, why)
    decided = {label: mass for label, mass in masses.items() if labels[label] is not None}
    if sum(decided.values()) < total / 2:
        return Verdict("abstained", None, masses)
    mean = sum(mass * (labels[label] or 0.0) for label, mass in decided.items())
    return Verdict("answered", mean / sum(decided.values()), masses)


def _unparsable(why: str) -> Verdict:
    return Verdict("unparsable", detail=why)
