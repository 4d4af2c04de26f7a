"""Replies that a better parser reads at resume, calls that did not come back, and cut prompts."""

from __future__ import annotations

import asyncio
import json

import pytest

from campaigns import BEST, SCORES, TEXTS, WORST, ask, few, judge_of, records, run, taken_up
from hodgerank.judges.call_log import SENT, CallLog
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.expected_cost import expected_costs
from hodgerank.judges.fake_llm import FakeLLM, ModelProfile
from hodgerank.judges.prices import guess_tokens
from hodgerank.judges.run_on_items import votes_in


class Speaker(FakeLLM):
    """Says its label in a sentence."""

    def answer(self, body):
        found = super().answer(body)
        message = found["choices"][0]["message"]
        message["content"] = f"The answer is {message['content']} because it is exact."
        return found


@pytest.fixture
def older_parser(monkeypatch):
    """A parser that does not know this form, as if an earlier version had run."""
    with monkeypatch.context() as patch:
        patch.setattr(
            "hodgerank.judges.reply_labels._Labels._said_with_reason", lambda self, line: None
        )
        patch.setattr("hodgerank.collecting.call_loop.MOST_IN_A_ROW", 1000)
        yield patch


def test_replies_that_could_not_be_read_are_read_at_resume_without_a_call(tmp_path, older_parser):
    log, place = tmp_path / "calls.jsonl", tmp_path / "campaign.db"
    with Speaker(SCORES) as fake_llm:
        first = judge_of(fake_llm, few(4), log=log)
        said = ask(first, *[(BEST.replace("11", "03"), WORST), (WORST, "item-01")])
        assert said == [None, None]
        older_parser.undo()
        found = run(judge_of(fake_llm, few(4), log=log), 2, campaign=place)
        assert len(fake_llm.calls) == 2
        assert found.result.n_votes == 2
        assert "2 replies of earlier runs" in found.notes[0]
        before = votes_in(found.judged, "auto")
        assert len(records(log)) == 4  # the verdicts are kept, whatever a later parser says
        older = pytest.MonkeyPatch()
        older.setattr(
            "hodgerank.judges.reply_labels._Labels._said_with_reason", lambda self, line: None
        )
        again = run(judge_of(fake_llm, few(4), log=log), 2, campaign=place)
        older.undo()
        assert votes_in(again.judged, "auto") == before
        assert again.notes == ()
        assert len(fake_llm.calls) == 2


def test_a_skip_of_the_campaign_becomes_a_vote(tmp_path, older_parser):
    log, place = tmp_path / "calls.jsonl", tmp_path / "campaign.db"

    class Mixed(Speaker):
        """Says every other label alone."""

        def answer(self, body):
            return FakeLLM.answer(self, body) if len(self._calls) % 2 else super().answer(body)

    with Mixed(SCORES) as fake_llm:
        first = run(judge_of(fake_llm, log=log), 10, campaign=place, concurrency=1)
        n_unread = first.judges[0].statuses["unparsable"]
        assert first.result.n_votes == 10
        assert n_unread > 3
        older_parser.undo()
        n_calls = len(fake_llm.calls)
        found = run(judge_of(fake_llm, log=log), 10, campaign=place)
        assert len(fake_llm.calls) == n_calls
    assert found.result.n_votes == 10 + n_unread
    assert [call for call in found.judged if not call.is_late and call.answer] == [
        call for call in first.judged if call.answer
    ]


# Calls that did not come back


def test_calls_are_noted_before_they_are_sent_and_the_note_goes_when_all_came_back(tmp_path):
    log, seen = tmp_path / "calls.jsonl", []
    note = tmp_path / f"calls.jsonl{SENT}"

    class Watching(FakeLLM):
        def answer(self, body):
            seen.append(len(note.read_text().splitlines()))
            return super().answer(body)

    with Watching(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 5, concurrency=1)
    assert seen == [1, 2, 3, 4, 5]
    assert not note.exists()


def test_calls_that_did_not_come_back_are_counted_at_resume(tmp_path):
    log, note = tmp_path / "calls.jsonl", tmp_path / f"calls.jsonl{SENT}"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 5, concurrency=1)
        lines = log.read_text().splitlines(keepends=True)
        key = json.loads(lines[-1])["key"]
        log.write_text("".join(lines[:-1]))  # as if it had been killed before the last line
        note.write_text(f"{key} 0 0\n{json.loads(lines[0])['key']} 0 0\nhalf a li")
        judge = judge_of(fake_llm, log=log)
        assert judge.n_cut_off == 1
        found = run(judge, 4)
        assert "1 call of earlier runs did not come back" in found.notes[0]
        assert note.read_text() == f"{key} 0 0\n"
        sure = run(judge_of(fake_llm, log=log), 132)  # every question
        assert "did not come back" in sure.notes[0]
    assert not note.exists()


def test_a_call_has_its_own_id_and_a_failed_one_gets_another(tmp_path):
    with CallLog(tmp_path / "calls.jsonl") as log:
        assert log.id_of("k" * 64, 0) == f"hodgerank-{'k' * 32}-0-0"
        assert log.id_of("k" * 64, 1) == f"hodgerank-{'k' * 32}-1-0"


def test_calls_that_come_together_share_a_write(tmp_path, monkeypatch):
    log, writes = tmp_path / "calls.jsonl", []
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 3)
    [record, *_] = records(log)

    async def save():
        with CallLog(tmp_path / "other.jsonl") as other:
            append = other.append
            monkeypatch.setattr(other, "append", lambda *r: (writes.append(len(r)), append(*r)))
            await asyncio.gather(*(other.save({**record, "repeat": k}) for k in range(20)))
            await other.finish()
            return len(other)

    assert asyncio.run(save()) == 20
    assert sum(writes) == 20
    assert len(writes) <= 3


def test_a_write_that_fails_fails_for_all_that_share_it(tmp_path, monkeypatch):
    from hodgerank.errors import CannotWrite

    log = tmp_path / "calls.jsonl"
    with FakeLLM(SCORES) as fake_llm:
        run(judge_of(fake_llm, log=log), 3)
    [record, *_] = records(log)

    def full(*records):
        raise CannotWrite("no space left")

    async def save():
        with CallLog(tmp_path / "other.jsonl") as other:
            monkeypatch.setattr(other, "append", full)
            calls = (other.save({**record, "repeat": k}) for k in range(5))
            return await asyncio.gather(*calls, return_exceptions=True)

    assert {str(error) for error in asyncio.run(save())} == {"no space left"}


# Prompts that a server cuts, and estimates


class Cutting(FakeLLM):
    """Reports the tokens of a prompt that it cut to 100."""

    def answer(self, body):
        found = super().answer(body)
        found["usage"]["prompt_tokens"] = min(100, found["usage"]["prompt_tokens"])
        return found


@pytest.mark.parametrize(("n_words", "is_cut"), [(400, True), (10, False)])
def test_prompts_that_a_server_may_have_cut_are_told(tmp_path, n_words, is_cut):
    texts = {item: text + " More words about it." * (n_words // 4) for item, text in TEXTS.items()}
    log = tmp_path / "calls.jsonl"
    with Cutting({text: SCORES[TEXTS[item]] for item, text in texts.items()}) as fake_llm:
        found = run(judge_of(fake_llm, texts, log=log), 6)
        again = taken_up(fake_llm, texts, log=log)
    assert any("may have cut them" in note for note in found.notes) is is_cut
    assert sum(again.truncated.values()) == (6 if is_cut else 0)


def test_letters_of_other_scripts_take_more_tokens():
    def guess(text, **options):
        return guess_tokens([{"role": "user", "content": text}], **options)

    assert guess("a" * 400) == 100
    assert guess("é" * 400) == 100
    assert guess("語" * 100) == guess("한" * 100) == guess("か" * 100) == 80
    assert guess("ж" * 100) == guess("ع" * 100) == guess("ส" * 100) == 40
    assert guess("=" * 400, is_least=True) <= 1


def test_a_dry_run_knows_the_replies_of_the_log(tmp_path):
    log = tmp_path / "calls.jsonl"
    with Speaker(SCORES, profiles=ModelProfile()) as fake_llm:
        run(judge_of(fake_llm, log=log), 12)
        plain = ChatJudge(TEXTS, "Which text is better?", "m", base_url=fake_llm.base_url)
    lines = records(log)
    (guessed,) = expected_costs(plain, 30)
    (known,) = expected_costs(plain, 30, log=log)
    mean = sum(line["completion_tokens"] for line in lines) / len(lines)
    assert known.completion_tokens == pytest.approx(30 * mean, abs=1)
    assert known.completion_tokens != guessed.completion_tokens
    assert expected_costs(plain, 30, log=tmp_path / "nothing.jsonl") == [guessed]
