"""The label that a reply names: strictly, in the forms that leave no doubt.

A line names a label if it says no more than which one it is, in one of the usual forms. A reply
that weighs, quotes, conditions or revokes is left unread rather than read wrongly.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

_KEYS = """
answer final_answer verdict final_verdict decision final_decision judgment judgement label grade
result selection selected
"""
_CHOICE_KEYS = """
choice winner preference preferred better best chosen pick better_item better_text better_answer
better_response preferred_item preferred_text preferred_answer preferred_response best_answer
best_response chosen_item selected_item winning_item
"""
ANSWER_KEYS, CHOICE_KEYS = frozenset(_KEYS.split()), frozenset(_CHOICE_KEYS.split())
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

_ELSEWHERE = (
    # German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Turkish
    r"(?:(?:der|die|das) )?(?:text|antwort|option|variante|zusammenfassung|übersetzung|version) "
    r"{label} ist (?:eindeutig |klar |deutlich |etwas |insgesamt )*"
    r"(?:besser|überlegen|vorzuziehen|(?:der|die|das) bessere)",
    r"{label} ist (?:eindeutig |klar |deutlich |etwas |insgesamt )*besser",
    r"(?:der|die|das) bessere \w+ ist {label}",
    r"ich (?:wähle|bevorzuge|entscheide mich für) (?:\w+ )?{label}",
    r"(?:le |la |l')?(?:texte|réponse|option|résumé|traduction|version) {label} est "
    r"(?:nettement |clairement |légèrement )?(?:meilleure?|préférable|supérieure?)",
    r"(?:le meilleur|la meilleure) \w+ est (?:le |la |l')?(?:\w+ )?{label}",
    r"je (?:choisis|préfère) (?:le |la |l')?(?:\w+ )?{label}",
    r"(?:el |la )?(?:texto|respuesta|opción|resumen|traducción|versión) {label} es "
    r"(?:claramente |ligeramente )?(?:mejor|superior|preferible)",
    r"(?:el|la) mejor \w+ es (?:el |la )?(?:\w+ )?{label}",
    r"(?:elijo|prefiero) (?:el |la )?(?:\w+ )?{label}",
    r"(?:il |la |l')?(?:testo|risposta|opzione|riassunto|traduzione|versione) {label} è "
    r"(?:chiaramente |nettamente )?(?:migliore|superiore|preferibile)",
    r"(?:scelgo|preferisco) (?:il |la |l')?(?:\w+ )?{label}",
    r"(?:o |a )?(?:texto|resposta|opção|resumo|tradução|versão) {label} é "
    r"(?:claramente )?(?:melhor|superior|preferível)",
    r"(?:escolho|prefiro) (?:o |a )?(?:\w+ )?{label}",
    r"(?:de |het )?(?:tekst|antwoord|optie|samenvatting|versie) {label} is (?:duidelijk )?beter",
    r"ik (?:kies|verkies) (?:\w+ )?{label}",
    r"(?:tekst|odpowiedź|opcja|wersja) {label} jest (?:zdecydowanie )?lepsz[aey]",
    r"wybieram (?:\w+ )?{label}",
    r"(?:text|svar|alternativ) {label} är (?:klart )?bättre",
    r"(?:metin|yanıt|cevap|seçenek) {label} daha iyi",
    # Russian, Chinese, Japanese, Korean
    r"(?:текст|ответ|вариант) {label} (?:явно |однозначно |немного )?(?:лучше|предпочтительнее)",
    r"(?:я )?(?:выбираю|предпочитаю) (?:\w+ )?{label}",
    r"(?:文本|答案|回答|选项|摘要|译文)? ?{label} ?(?:明显)?(?:更好|更优|较好|更佳|胜出)",
    r"我?(?:选择|选) ?(?:文本|答案|回答|选项)? ?{label}",
    r"(?:テキスト|回答|選択肢|文章)? ?{label} ?(?:の方|のほう)?が(?:より)?"
    r"(?:良い|よい|いい|優れている|優れています)(?:です)?",
    r"(?:텍스트|답변|선택지)? ?{label} ?(?:가|이) 더 (?:좋습니다|낫습니다|좋다|낫다)",
)

# A reason after the answer, in the same sentence.
_REASON = re.compile(
    r"(?P<head>.{1,80}?)(?:,| [-–—])? "
    r"(?:because|since|due to|given that|weil|denn|parce qu(?:e |')|car|porque|perché|omdat|"
    r"потому что) ?(?P<tail>\S.*)",
    re.IGNORECASE,
)
LONGEST_REASON = 600
MOST_OBJECTS = 50
_OBJECT, _DOUBLE_BRACKETS = re.compile(r"\{[^{}]*\}"), re.compile(r"\[\[([^\[\]]{1,30})\]\]")
_TURNS = re.compile(
    r"\b(?:but|however|although|though|nevertheless|nonetheless|instead|unless|otherwise|actually|"
    r"yet|if|whether|still|except|aber|jedoch|doch|sondern|mais|pero|sino|ma|però|mas|porém|maar|"
    r"но)\b|[?\"“”„«»]",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:first|second|former|latter|other|left|right|both|neither|either|one|two|equal(?:ly)?|"
    r"tie[ds]?)\b",
    re.IGNORECASE,
)
_COMPARED = r"(?:than|over|unlike|beats|surpasses|outperforms|compared (?:to|with))"
_THAN_THE_OTHER = re.compile(
    rf"\b{_COMPARED} the (?:other|first|second|former|latter)(?: (?:{_THING}))?\b", re.IGNORECASE
)
_LACKING = (
    r"(?:lacks?|misses|omits?|fails?|ignores?|invents?|contradicts?|doesn't|does not|"
    r"is (?:not|less|worse|wrong|vague|incorrect|inaccurate|incomplete|too|weaker))"
)
_ITSELF = re.compile(
    rf"(?:it|its|it's|of its|this (?:one|{_THING})|the (?:{_THING})|er|sie|es|sein\w*|ihr\w*|"
    r"le (?:texte|résumé)|la (?:réponse|traduction)|il|elle|son|sa|es|tiene|su|el texto|"
    r"la respuesta|è|ha|é|tem|het|hij|zij|он|она|оно)\b",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:alternative|competitor|competition|opponent|rival|reverse|opposite|contrary|against|"
    r"rest|ander\w*|autre|otr[oa]s?|altr[oaie]|outr[oa]s?|zweit\w*|erst\w*|deuxième|première?|"
    r"segund[oa]|primer[oa]|second[oa]|prim[oa]|tweede|eerste|втор\w*|перв\w*|друг\w*)\b",
    re.IGNORECASE,
)
_GOOD = (
    r"(?:better|clearer|correct|right|accurate|faithful|exact|precise|complete|the best|"
    r"(?:much |clearly |slightly |far )?more (?:accurate|faithful|precise|exact|complete|helpful|"
    r"relevant|readable|natural|coherent|informative|detailed|concise|correct|convincing|truthful|"
    r"useful|specific|thorough|balanced|fluent))"
)
_PRAISE = re.compile(
    rf"(?:it|this|this one|(?:(?:the|this) )?(?:{_THING})(?: {{label}})?|{{label}})(?: is|'s) "
    rf"{_GOOD}(?: than .+| to (?:the )?(?:source|original|question|prompt|facts|instructions?))?"
)
_BEFORE_JSON = re.compile(
    r"(?:.*[.!])?\s*(?:(?:here is|this is) )?(?:(?:my|the) )?(?:final )?"
    r"(?:answer|verdict|decision|judge?ment|evaluation|output|response|result|json)?\s*(?:is)?:?\s*",
    re.IGNORECASE | re.DOTALL,
)
OPPOSITE_KEYS = frozenset({"reject", "rejected", "loser", "worse", "worst", "not_preferred"})
_IN_BRACKETS = re.compile(r"(?P<before>.*?)\[\[(?P<label>[^\[\]]{1,30})\]\][\s.!*_]*")
_LISTED = re.compile(r"\(?(?P<label>[^\s()]{1,30})\)[ :] ?(?P<tail>\S.*)")
_AGAINST = re.compile(
    r"\b(?:not|never|worse|worst|wrong|incorrect|inferior|loses?|less|weaker|poor\w*|fails?|"
    r"lacks?|lacking|misses|missing|vague|bad|should|must|ought|pretend\w*|reject\w*|remov\w*|"
    r"avoid\w*|eliminat\w*|n't)\b|n't\b",
    re.IGNORECASE,
)
_OF_TURNS = r"im_end|eot_id|eom_id|endoftext|end_of_text|end_of_turn|end|return|END_OF_TURN_TOKEN"
_END_OF_TURN = re.compile(
    rf"<\|(?:{_OF_TURNS}|im_start|start_header_id|start)\|>|</s>|<end_of_turn>|<start_of_turn>|"
    r"<eos>|<｜end▁of▁sentence｜>|\[/?INST\]"
)
_START_OF_TURN = re.compile(
    r"\s*(?:<s>|<bos>|\[/INST\]|<\|assistant\|>|<\|im_start\|>assistant|<start_of_turn>model|"
    r"<\|start_header_id\|>assistant<\|end_header_id\|>|<｜Assistant｜>)\s*"
)
_CHANNEL, _FINAL_CHANNEL = "<|channel|>", "<|channel|>final<|message|>"

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
    known = _Labels(labels, is_alone=len(lines) == 1)
    said = [known.said_in(line) for line in lines]
    different = list(dict.fromkeys(label for label in said if label))
    if len(different) > 1:
        return f"the reply says {' and '.join(different)}"
    if (first := said[0] or said[-1]) and known.quoted_in(spoken) - {first}:
        return f"the reply says {first} and quotes another label as an answer"
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
    """Return a reply without the model's reasoning: <think> ... </think>, or another channel.

    What follows the end of the model's turn is none of its reply.

    >>> without_thoughts("<think>A?</think>B<|im_end|>user: and A?")
    'B'
    """
    if _CHANNEL in text:
        text = text.rpartition(_FINAL_CHANNEL)[2] if _FINAL_CHANNEL in text else ""
    if start := _START_OF_TURN.match(text):
        text = text[start.end() :]
    if ending := _END_OF_TURN.search(text):
        text = text[: ending.start()]
    end = len(text)
    for tag in reversed(list(_THOUGHT.finditer(text))):
        if tag[1]:
            return text[tag.end() : end]
        end = tag.start()  # of a thought that was not finished
    return text[:end]


class _Labels:
    """Return the labels in normalised form; `is_alone` if a reply has one line."""

    def __init__(self, labels: Mapping[str, float | None], *, is_alone: bool = False) -> None:
        self._is_alone = is_alone
        self._by_look = {_plain(label): label for label in labels}
        # 'text 2' is not the grade 2, and an item is neither a tie nor an abstention
        self._items = {label for label, y in labels.items() if y and not label.isdecimal()}
        looks = "|".join(map(re.escape, self._by_look))
        self._any = re.compile(rf"(?<![A-Za-z0-9])(?:{looks})(?![A-Za-z0-9])", re.IGNORECASE)
        ties = [label for label, y in labels.items() if y == 0]
        self._tie = ties[0] if len(ties) == 1 else None
        self._elsewhere = _in_other_languages(frozenset(map(_plain, self._items)))

    def said_in(self, line: str) -> str | None:
        """Return the label, if the line names it and nothing else."""
        if line.isascii() and not self._any.search(line):
            return None
        if line.startswith("{") and (pairs := _object(line)):
            return self._said_in_json(pairs)
        if "[[" in line and len(line) <= LONGEST_REASON:
            return self._said_in_brackets(line)
        if found := self._said_with_reason(line):
            return found
        if len(line) > LONGEST_VERDICT or _BULLET.match(line):  # an entry of a list is no answer
            return None
        return self._said_in_plain(_plain(line)) or self._listed(line)

    def _said_in_plain(self, plain: str) -> str | None:
        if introduced := INTRODUCED.fullmatch(plain):
            plain = _plain(introduced["rest"])
        return self._by_look.get(plain) or self._compared(plain) or self._item_in(plain)

    def _compared(self, plain: str) -> str | None:
        """Return the label that a comparison means: 'a>b' is that of a, 'a=b' that of a tie."""
        found = re.fullmatch(r"(\S+?) ?(>{1,2}|<{1,2}|=) ?(\S+)", plain)
        if found is None or len(self._items) != 2:
            return None
        one, other = self._by_look.get(found[1]), self._by_look.get(found[3])
        if one == other or not {one, other} <= self._items:
            return None
        if found[2] == "=":
            return self._tie
        return one if ">" in found[2] else other

    def _said_in_brackets(self, line: str) -> str | None:
        """Return the label of '... my verdict: [[B]]', unless the sentence may not mean it."""
        found = _IN_BRACKETS.fullmatch(line)
        if found is None:
            return None
        if "[[" in found["before"]:
            return None
        sentence = re.split(r"[.!?;](?:\s|$)", found["before"])[-1]
        label = self._said_in_plain(_plain(found["label"]))
        if not _plain(sentence) or label is None:
            return label
        said = self._said_in_plain(_plain(f"{sentence} {label}"))
        return label if said == label else None

    def _said_with_reason(self, line: str) -> str | None:
        """Return the label of 'The answer is A because ...', unless the reason may object."""
        found = _REASON.fullmatch(line) if len(line) <= LONGEST_REASON else None
        if found is None:
            return None
        plain = _plain(found["head"])
        label = self._said_in_plain(plain)
        if label is None or plain in self._by_look or label not in self._items:
            return None
        return label if self._is_reason_for(label, found["tail"]) else None

    def _is_reason_for(self, label: str, reason: str) -> bool:
        """Return whether a reason praises this item, or says only what another one lacks."""
        others = [other for other in self._by_look.values() if other != label]
        if _TURNS.search(reason) or contradicted(reason, others):
            return False
        rest = reason
        is_about_it = _ITSELF.match(reason) is not None
        is_about_it |= (
            re.match(rf"(?i:the )?(?:(?i:{_THING}) )?{re.escape(label)}\b", reason) is not None
        )
        for other in map(re.escape, others):
            item = rf"(?:(?:the )?(?i:{_THING}) )?{other}\b"
            lacking = rf"{item} (?i:{_LACKING})\b"
            is_about_it |= re.match(lacking, reason) is not None
            rest = re.sub(rf"\b(?i:{_COMPARED}) {item}|\b{lacking}", " ", rest)
            if re.search(rf"(?<![\w'’]){other}(?!\w)", rest):
                return False
        rest = _THAN_THE_OTHER.sub(" ", rest)
        wrong = (_PLACED, _ELSE, _AGAINST)
        return is_about_it and not any(pattern.search(rest) for pattern in wrong)

    def _listed(self, line: str) -> str | None:
        """Return the label of 'B) ...', if what follows says that it is this one, or praises it."""
        found = _LISTED.fullmatch(line)
        label = None if found is None else self._by_look.get(_plain(found["label"]))
        if found is None or label is None or label not in self._items or not self._is_alone:
            return None
        tail = found["tail"]
        if self._said_in_plain(_plain(tail)) == label:
            return label
        praise = _PRAISE.pattern.replace("{label}", re.escape(label.casefold()))
        if not re.fullmatch(praise, _plain(tail)) or re.search(r"[.!]\s+\S", tail):
            return None
        return label if self._is_reason_for(label, tail) else None

    def quoted_in(self, text: str) -> set[str]:
        """Return the labels in double brackets, or in JSON objects, anywhere in a text."""
        found = {self._by_look.get(_plain(label)) for label in _DOUBLE_BRACKETS.findall(text)}
        if text.count("{") <= MOST_OBJECTS:
            found |= {self._said_in_json(_object(part)) for part in _OBJECT.findall(text)}
        return {label for label in found if label is not None}

    def _item_in(self, plain: str) -> str | None:
        for pattern in (CHOSEN, PRAISED):
            if found := pattern.fullmatch(plain):
                label = self._by_look.get(_plain(found["rest"]))
                if label in self._items:
                    return label
        if self._elsewhere is not None and (found := self._elsewhere.fullmatch(plain)):
            return self._by_look[next(look for look in found.groups() if look)]
        return None

    def _said_in_json(self, pairs: list[tuple[str, object]]) -> str | None:
        said, against = set[str | None](), set[str | None]()
        for key, value in pairs:
            name = _plain(key).replace(" ", "_")
            if name in ANSWER_KEYS | CHOICE_KEYS:
                label = self.said_in(str(value)) if isinstance(value, str | int) else None
                said.add(label if name in ANSWER_KEYS or label in self._items else None)
            elif name in OPPOSITE_KEYS and isinstance(value, str):
                against.add(self.said_in(value))
        return said.pop() if len(said) == 1 and not said & against else None


@cache
def _in_other_languages(items: frozenset[str]) -> re.Pattern[str] | None:
    """Return a pattern of sentences that choose one of the items, which is a group of it."""
    if not items:
        return None
    one = f"({'|'.join(sorted(map(re.escape, items)))})"
    return re.compile("|".join(form.replace("{label}", one) for form in _ELSEWHERE))


def _lines(text: str) -> list[str]:
    """Return the lines with content; a JSON object at the end is one line."""
    start, end = text.rfind("{"), text.rfind("}") + 1
    joined = " ".join(text[start:end].splitlines()) if 0 <= start < end else ""
    before = text[:start].rpartition("\n")[2].split("```")[0]
    after = text[end:].partition("\n")[0]
    if _object(joined) and _BEFORE_JSON.fullmatch(before) and not after.strip("` \t\r.*"):
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
