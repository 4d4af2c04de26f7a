"""Every layout that the field publishes is ranked rightly, or refused without a wrong suggestion.

`PYTHONPATH=tests:src python -m corpus [NAME ...]` prints what becomes of each layout.
"""

from __future__ import annotations

from collections import Counter

import pytest

from corpus import LAYOUTS
from corpus.check import BAD, PASSES, Status, check_layout, judge, lay_out
from corpus.crowd import Crowd
from corpus.files import File, grid
from corpus.suggested_options import is_question, spelled, suggestions_in
from hodgerank.metrics import kendall_tau

# Layouts that are not yet treated as they must be. Remove a name as soon as its layout is.
KNOWN_MISSES = frozenset({
    "agreement_of_two_raters", "alternatives_with_position", "annotated_generators",
    "answers_a_and_b", "answers_in_sentences", "arrow_keys", "batch_flags", "before_and_after",
    "bench_games", "best_and_worst_by_place", "best_and_worst_counts", "chess_results",
    "choice_by_letter", "choice_by_place", "chosen_and_rejected_models",
    "chosen_and_rejected_texts", "codec_and_quality", "comment_lines",
    "comparison_category_rating", "confusion_matrix", "correlations", "distances",
    "duplicate_questions", "error_rates", "features_and_label", "flags_beside_items",
    "french_winner_and_loser", "french_words", "german_winner_and_loser", "goal_difference",
    "goals_in_one_cell", "goals_of_both", "goals_without_teams", "golf_strokes",
    "graded_generators", "keys_f_and_j", "keys_z_and_m", "label_of_the_test", "leaderboard",
    "league_table", "least_preferred", "letters_and_sides", "likert_more_is_left", "loser_only",
    "losses", "margins", "more_distorted_side", "numbered_pair_columns", "odd_one_out",
    "one_column_for_each_answer", "opinion_scores", "order_of_presentation", "places_by_item",
    "planned_pairs", "points_of_both", "points_of_winner_and_loser", "position_on_the_screen",
    "preferred_texts", "race_results", "rank1_and_rank2", "rank_columns", "rated_answers",
    "rating_columns", "ratings_by_item", "rejected_side", "repeated_comments",
    "result_of_the_call", "score_columns", "scores_of_two_rounds", "scores_without_items",
    "scripts_and_selected", "sentence_pairs", "share_that_prefers_a", "signed_more_is_right",
    "similar_pairs", "spanish_words", "square_of_measurements", "thousands",
    "token_numbers_beside_winner", "two_ages", "type_and_level",
    "type_and_level_more_distorted", "verdict_levels", "verdict_marks", "verdict_sentences",
    "verdict_signs", "votes_in_a_cell", "votes_in_a_cell_with_header", "weighted_edges",
    "win_matrix_with_totals", "wins_and_losses", "wins_before_the_match", "wmt_five",
    "wmt_pairs", "won_and_lost", "word_counts_beside_winner", "worse_item",
})  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_published_layout_is_ranked_rightly_or_refused(name, tmp_path):
    problems = check_layout(LAYOUTS[name], tmp_path)
    if name in KNOWN_MISSES:
        assert problems, f"{name} is treated rightly now: remove it from KNOWN_MISSES"
    else:
        assert not problems, f"{LAYOUTS[name].why} {' '.join(problems)}"


def test_known_misses_are_layouts():
    assert LAYOUTS.keys() >= KNOWN_MISSES


@pytest.mark.parametrize("name", ["plain_comma", "wmt_pairs", "form_questions"])
def test_the_crowd_agrees_with_the_truth(name):
    crowd = LAYOUTS[name].crowd()
    wins = Counter(vote.winner for vote in crowd.votes)
    wins.subtract(vote.loser for vote in crowd.votes)
    truth = {item: -place for place, item in enumerate(crowd.order)}
    assert kendall_tau({item: float(wins[item]) for item in truth}, truth) > 0.8


def test_options_are_found_anywhere_in_a_message():
    message = (
        "votes.csv: no column. Perhaps this fits: --left A --right 'my B' (in Python left='A')\n"
        "Try `--winner x --loser y` or give the ends: --scale -1 1 (scale=(-1, 1)): 0 is a tie, "
        "--scale 1 0.\nName the --separator."
    )
    assert [spelled(found.options) for found in suggestions_in(message)] == [
        "--left A --right 'my B'", "--winner x --loser y", "--scale -1 1", "--scale 1 0",
        "--separator",
    ]  # fmt: skip


def test_alternatives_that_are_not_explained_are_no_question():
    asked = "--scale 1 7 if 7 prefers left\n--scale 7 1 if 1 prefers left"
    assert is_question(suggestions_in(asked))
    headed = "If 7 prefers left:\n  --scale 1 7\nIf 1 prefers left:\n  --scale 7 1"
    assert is_question(suggestions_in(headed))
    assert not is_question(suggestions_in("--scale 1 7\n--scale 7 1"))
    assert not is_question(
        suggestions_in("\n".join(f"--scale 0 {k} if {k} is it" for k in range(9)))
    )


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (("winner", "loser"), Status.RIGHT),
        (("loser", "winner"), Status.WRONG),
        (("nothing", "known"), Status.ERROR),
    ],
)
def test_a_ranking_is_compared_with_the_truth(header, status, tmp_path):
    crowd = Crowd("check", ("tea", "milk", "cola", "water", "juice"), 80)
    rows = [[vote.winner, vote.loser] for vote in crowd.votes]
    file = File((crowd.order,), grid(header, rows))
    verdict = judge(lay_out(file, tmp_path), file)
    assert verdict.status == status or (status == Status.ERROR and verdict.status not in BAD)


def test_every_expectation_allows_only_what_is_not_wrong():
    assert not any(set(BAD) & set(allowed) for allowed in PASSES.values())
