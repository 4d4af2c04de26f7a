"""Suggested options were tried on the file; where nothing fits, none are suggested."""

from __future__ import annotations

import random

import pytest

import hodgerank as hr
from hodgerank.errors import InvalidComparisons

ITEMS = ("ash", "birch", "cedar", "elm", "fir", "oak")


def votes(n: int = 120, seed: int = 1) -> list[tuple[int, int, bool]]:
    """Pairs of items by number, and whether the first, the lower number mostly, is better."""
    rng = random.Random(seed)
    pairs = [rng.sample(range(len(ITEMS)), 2) for _ in range(n)]
    return [(a, b, a + rng.gauss(0, 0.7) < b) for a, b in pairs]


def table(header: str, *cells) -> str:
    """A line for each vote; cells are functions of the two items and the answer."""
    lines = [",".join(str(cell(a, b, won)) for cell in cells) for a, b, won in votes()]
    return "\n".join([header, *lines, ""])


def left(a, b, won):
    return ITEMS[a]


def right(a, b, won):
    return ITEMS[b]


def complaint(path, **options) -> str:
    with pytest.raises(InvalidComparisons) as caught:
        hr.read_comparisons(path, **options)
    return str(caught.value)


def assert_right(ranking: hr.Ranking) -> None:
    assert hr.metrics.kendall_tau(ranking.score_by_item, {x: -k for k, x in enumerate(ITEMS)}) > 0.7


@pytest.mark.parametrize(
    ("text", "suggestion", "options"),
    [
        (
            table("first_tree,second_tree,verdict_code", left, right,
                  lambda a, b, won: "first" if won else "second"),
            "--left first_tree --right second_tree --outcome verdict_code",
            {"left": "first_tree", "right": "second_tree", "outcome": "verdict_code"},
        ),
        (
            table("tree1,tree2,prompt,the_nicer_tree", left, right,
                  lambda *_: random.random() < 0.5, lambda a, b, won: ITEMS[a if won else b]),
            "--left tree1 --right tree2 --outcome the_nicer_tree",
            {"left": "tree1", "right": "tree2", "outcome": "the_nicer_tree"},
        ),
        (
            table("tree_a,tree_b,worse_tree", left, right,
                  lambda a, b, won: ITEMS[b if won else a]),
            "--left tree_a --right tree_b --outcome worse_tree --worse",
            {"left": "tree_a", "right": "tree_b", "outcome": "worse_tree", "worse": True},
        ),
    ],
)  # fmt: skip
def test_a_suggestion_gives_the_right_ranking(write, text, suggestion, options):
    path = write(text)
    assert f"Perhaps this fits: {suggestion} (in Python" in complaint(path)
    assert_right(hr.hodge_rank(hr.read_comparisons(path, **options)))


def test_a_question_is_asked_where_columns_do_not_show_which_end_is_better(write):
    path = write(
        table("tree_a,tree_b,cost_a,cost_b", left, right,
              lambda a, b, won: 1 if won else 3, lambda a, b, won: 2)
    )  # fmt: skip
    message = complaint(path)
    assert "--outcome cost_a-cost_b (if a higher cost_a is better)" in message
    assert "--outcome cost_b-cost_a (if a lower cost_a is better)" in message
    ranking = hr.hodge_rank(
        hr.read_comparisons(path, left="tree_a", right="tree_b", outcome="cost_b-cost_a")
    )
    assert_right(ranking)


def test_signed_numbers_get_a_symmetric_scale(write):
    path = write(
        table("home,away,margin", left, right,
              lambda a, b, won: random.randint(1, 5) if won else -2)
    )  # fmt: skip
    message = complaint(path)
    assert "--scale -5 5 (if larger numbers in margin prefer left)" in message
    assert_right(hr.hodge_rank(hr.read_comparisons(path, outcome="margin", scale=(-5, 5))))


def test_the_range_of_the_error_is_symmetric_too(write):
    path = write(table("home,away,outcome", left, right, lambda a, b, won: 5 if won else -2))
    assert "--scale -5 5 (scale=(-5, 5)) if 5 prefers left" in complaint(path)


@pytest.mark.parametrize(
    "text",
    [
        # nothing but the two items, which differ in their side only
        table("tree1,tree2", left, right),
        table("system1Id,system2Id,comment", left, right, lambda *_: "fine"),
        # the only numbers have nothing to do with the items
        table("tree_a,tree_b,prompt", left, right, lambda *_: random.randint(1, 4)),
        table("tree_a,tree_b,device", left, right, lambda *_: random.choice((-2, 3))),
        # counts, signs and one row per item are not votes
        "candidate,Wins,Losses\nash,10,4\nbirch,8,6\ncedar,6,8\nelm,4,10\n",
        table("flag_1,flag_2,answer", lambda *_: random.choice((-1, 1)),
              lambda *_: random.choice((-1, 1)), lambda a, b, won: int(won)),
        table("text_a,text_b,preferred", lambda *_: random.random(), lambda *_: random.random(),
              lambda a, b, won: "a" if won else "b"),
    ],
)  # fmt: skip
def test_nothing_is_suggested_where_no_column_holds_an_answer(write, text):
    message = complaint(write(text))
    assert "Perhaps" not in message
    assert "--skip-invalid" not in message


def test_the_columns_considered_are_named(write):
    message = complaint(write(table("tree_a,tree_b,prompt", left, right, lambda *_: 3)))
    assert "Considered as items: tree_a and tree_b" in message
    assert "Considered as the outcome: prompt; no answer was recognised in any of them" in message


def test_items_that_two_columns_name_together(write):
    kinds, levels = ("blur", "noise"), (1, 2, 3)

    def part(values, place):
        return lambda a, b, won: values[(a, b)[place] % len(values)]

    text = table(
        "kind1,kind2,level1,level2,answer", part(kinds, 0), part(kinds, 1), part(levels, 0),
        part(levels, 1), lambda a, b, won: "left" if won else "right",
    )  # fmt: skip
    path = write(text)
    assert "--left kind1+level1 --right kind2+level2 --outcome answer" in complaint(path)
    read = hr.read_comparisons(path, left="kind1+level1", right="kind2+level2", outcome="answer")
    assert read.n_items == 6
    assert "blur / 1" in read.items
    assert read.report.unused == ()


def test_a_misspelt_header(write):
    message = complaint(write("lefft,rigth,outcome\nx,y,1\ny,z,-1\n"))
    assert "--left lefft --right rigth --outcome outcome" in message


def test_texts_that_occur_once_are_no_items(write):
    text = table(
        "chosen,rejected", lambda *_: f"Yes {random.random()}", lambda *_: f"No {random.random()}"
    )
    message = complaint(write(text))
    assert "occurs only once" in message
    assert "Perhaps" not in message


def test_models_beside_texts_are_the_items(write):
    text = table(
        "chosen,rejected,chosen_model,rejected_model",
        lambda *_: random.random(), lambda *_: random.random(),
        lambda a, b, won: ITEMS[a if won else b], lambda a, b, won: ITEMS[b if won else a],
    )  # fmt: skip
    assert_right(hr.hodge_rank(hr.read_comparisons(write(text))))


def test_hostile_names_are_quoted(write):
    path = write(table("tree $(rm) a,tree $(rm) b,ans; wer", left, right,
                       lambda a, b, won: ITEMS[a if won else b]))  # fmt: skip
    assert "--left 'tree $(rm) a' --right 'tree $(rm) b' --outcome 'ans; wer'" in complaint(path)


@pytest.mark.parametrize("options", [{"item": "z"}, {"place": "z"}, {"ballot": "z"}])
def test_a_trial_suggests_nothing_itself(write, options):
    path = write("x,y,z\n" + "a,b,c\n" * 30)
    assert "recognised" in complaint(path, **options)


def test_lists_in_columns_called_like_items_are_refused():
    rows = [{"response_a": [str(k)], "response_b": [str(-k)], "label": [1]} for k in range(30)]
    assert "holds lists or records" in complaint(rows)


def test_baselines_that_are_only_on_one_side(write):
    text = table(
        "item_a,item_b,mark", lambda a, b, won: ITEMS[a % 3], lambda a, b, won: ITEMS[3 + b % 3],
        lambda a, b, won: "left" if won else "right",
    )  # fmt: skip
    assert "--left item_a --right item_b --outcome mark" in complaint(write(text))


def test_files_graded_by_different_words_say_so(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("model_a,model_b,verdict\nx,y,A>>B\ny,z,B>A\n")
    other.write_text("model_a,model_b,verdict\nx,y,A>B\ny,z,B>A\n")
    notes = hr.read_comparisons([one, other]).report.notes
    assert any("the files differ" in note for note in notes)
    assert hr.read_comparisons([other]).report.notes == ()
