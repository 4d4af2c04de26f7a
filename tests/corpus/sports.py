"""Games: goals, margins, results of chess, winners and losers of tennis."""

from __future__ import annotations

from dataclasses import replace

from corpus.crowd import PLAYERS, TEAMS, Crowd, Vote
from corpus.files import (
    CHOSEN,
    LEFT,
    LOSER,
    MOMENT,
    NUMBER,
    RIGHT,
    WINNER,
    Cell,
    File,
    Made,
    Sheet,
    constant,
    grid,
    number,
    other,
    sheet_of,
    votes_file,
    words,
)
from corpus.layout import ERROR, NOT_WRONG, RANKED, SUGGESTED, layout


def goals(side: int) -> Made:
    """Goals of one side: more are better."""

    def cell(vote: Vote) -> Cell:
        low = int(3 * vote.chance)
        ahead = min(6, round(abs(vote.margin) * 0.7 + 0.3))
        return low + (ahead if side * vote.margin > 0 else 0)

    return Made("higher", cell)


def margin_of(vote: Vote) -> int:
    """Goals of the home side less those of the other: mostly 1, from -2 to 5."""
    size = 1 + int(vote.chance > 0.9)
    return 5 if vote.margin > 8 else size if vote.margin > 0 else -size


def mostly_at_home(crowd: Crowd) -> list[Vote]:
    """Games in which the better team mostly plays at home, as in cups with seeds."""
    return [
        vote
        if (crowd.score[vote.left] > crowd.score[vote.right]) == (vote.chance < 0.8)
        else replace(vote, left=vote.right, right=vote.left, margin=-vote.margin)
        for vote in crowd.votes
    ]


@layout(SUGGESTED, names=TEAMS)
def goals_of_both(crowd: Crowd) -> File:
    """The side with more goals won."""
    return votes_file(crowd, {
        "date": MOMENT, "home": LEFT, "away": RIGHT,
        "home_goals": goals(1), "away_goals": goals(-1),
    })  # fmt: skip


@layout(SUGGESTED, "--left", "HomeTeam", "--right", "AwayTeam", "--outcome", "FTR", names=TEAMS)
def goals_and_result(crowd: Crowd) -> File:
    """Goals and a result of H, D or A, as bookmakers' files have them."""
    home, away = goals(1), goals(-1)

    def result(vote: Vote) -> str:
        ahead = int(str(home.cell(vote))) - int(str(away.cell(vote)))
        return "H" if ahead > 0 else "A" if ahead < 0 else "D"

    return votes_file(crowd, {
        "Div": constant("E9"), "Date": MOMENT, "HomeTeam": LEFT, "AwayTeam": RIGHT,
        "FTHG": home, "FTAG": away, "FTR": Made("words", result, ("H", "A", "D")),
        "HTHG": other(lambda vote: int(2 * vote.chance)), "B365H": other(lambda vote: 2.1),
    })  # fmt: skip


@layout(
    SUGGESTED,
    "--left",
    "home",
    "--right",
    "away",
    "--outcome",
    "margin",
    "--scale",
    "-5",
    "5",
    names=TEAMS,
)
def margins(crowd: Crowd) -> File:
    """The margin of the home side: positive if it won, and 0 would be a draw."""
    sheet = sheet_of(mostly_at_home(crowd), {
        "season": constant(2023), "home": LEFT, "away": RIGHT, "margin": number(margin_of),
    })  # fmt: skip
    return File((crowd.order,), sheet)


@layout(
    SUGGESTED,
    "--left",
    "home_team",
    "--right",
    "away_team",
    "--outcome",
    "goal_diff",
    "--scale",
    "-5",
    "5",
    names=TEAMS,
)
def goal_difference(crowd: Crowd) -> File:
    """The same under another name."""
    sheet = sheet_of(mostly_at_home(crowd), {
        "home_team": LEFT, "away_team": RIGHT, "goal_diff": number(margin_of),
        "attendance": other(lambda vote: 9000 + int(4000 * vote.chance)),
    })  # fmt: skip
    return File((crowd.order,), sheet)


@layout(SUGGESTED, names=TEAMS)
def points_of_both(crowd: Crowd) -> File:
    """Points of two teams: more are better."""
    return votes_file(crowd, {
        "game_id": NUMBER, "team_a": LEFT, "team_b": RIGHT,
        "pts_a": Made("higher", lambda vote: 80 + round(4 * vote.margin)),
        "pts_b": Made("higher", lambda vote: 80 + round(2 * vote.chance)),
    })  # fmt: skip


@layout(NOT_WRONG, names=PLAYERS)
def race_times(crowd: Crowd) -> File:
    """Times of two skaters: shorter is better."""
    return votes_file(crowd, {
        "heat": NUMBER, "skater_inner": LEFT, "skater_outer": RIGHT,
        "time_inner": Made("lower", lambda vote: round(36 - vote.margin / 4 + 6 * vote.chance, 2)),
        "time_outer": Made("lower", lambda vote: round(36 + vote.margin / 4 + 6 * vote.chance, 2)),
    })  # fmt: skip


@layout(NOT_WRONG, names=PLAYERS)
def golf_strokes(crowd: Crowd) -> File:
    """Strokes of two players: fewer are better."""
    return votes_file(crowd, {
        "hole": NUMBER, "player_1": LEFT, "player_2": RIGHT,
        "strokes_1": Made("lower", lambda vote: 74 - round(vote.margin)),
        "strokes_2": Made("lower", lambda vote: 74 + round(vote.margin)),
    })  # fmt: skip


@layout(SUGGESTED, names=TEAMS)
def goals_in_one_cell(crowd: Crowd) -> File:
    """The score as '3-1', of the home side first."""
    home, away = goals(1), goals(-1)
    return votes_file(crowd, {
        "Home": LEFT, "Away": RIGHT,
        "Score": Made("score", lambda vote: f"{home.cell(vote)}-{away.cell(vote)}"),
    })  # fmt: skip


@layout(NOT_WRONG, names=TEAMS)
def pair_in_one_cell(crowd: Crowd) -> File:
    """The pair as 'Lowick vs Dunmere', and who won."""
    return votes_file(crowd, {
        "match": Made("pair", lambda vote: f"{vote.left} vs {vote.right}"), "winner": CHOSEN,
        "round": other(lambda vote: 1 + vote.number // 20),
    })  # fmt: skip


@layout(RANKED, names=TEAMS)
def toss_and_match(crowd: Crowd) -> File:
    """Two teams, who won the toss and who won the match."""
    toss = other(lambda vote: vote.left if vote.chance < 0.5 else vote.right)
    return votes_file(crowd, {
        "id": NUMBER, "date": MOMENT, "team1": LEFT, "team2": RIGHT, "toss_winner": toss,
        "toss_decision": other(lambda vote: "bat" if vote.chance < 0.4 else "field"),
        "winner": CHOSEN, "win_by_runs": other(lambda vote: int(40 * vote.chance)),
    })  # fmt: skip


@layout(
    NOT_WRONG,
    "--winner",
    "winner_name",
    "--loser",
    "loser_name",
    "--components",
    "separate",
    names=PLAYERS,
)
def tennis(crowd: Crowd) -> File:
    """Winners and losers of two tours that never meet."""
    first, second = crowd.order[::2], crowd.order[1::2]
    tour = dict.fromkeys(first, "north") | dict.fromkeys(second, "south")
    votes = [vote for vote in crowd.votes if tour[vote.left] == tour[vote.right]]
    sheet = sheet_of(votes, {
        "tourney_id": other(lambda vote: f"2023-{int(500 * vote.chance)}"),
        "tourney_date": other(lambda vote: 20230100 + vote.number // 12),
        "winner_id": other(lambda vote: 100 + crowd.order.index(vote.winner)),
        "winner_seed": other(lambda vote: int(8 * vote.chance) or None),
        "winner_name": WINNER, "winner_rank": other(lambda vote: 1 + int(90 * vote.chance)),
        "loser_id": other(lambda vote: 100 + crowd.order.index(vote.loser)),
        "loser_name": LOSER, "loser_rank": other(lambda vote: 1 + int(80 * vote.chance)),
        "score": constant("6-4 6-3"), "minutes": other(lambda vote: 60 + int(90 * vote.chance)),
    })  # fmt: skip
    aliases = {str(100 + k): name for k, name in enumerate(crowd.order)}
    return File((first, second), sheet, aliases=aliases)


CHESS = words("1-0", "0-1", "1/2-1/2")


@layout(SUGGESTED, names=PLAYERS)
def chess_results(crowd: Crowd) -> File:
    """1-0 if White won, 0-1 if Black did."""
    return votes_file(crowd, {
        "Event": constant("Club cup"), "Date": MOMENT, "White": LEFT, "Black": RIGHT,
        "Result": CHESS, "WhiteElo": other(lambda vote: 1900 + int(300 * vote.chance)),
        "BlackElo": other(lambda vote: 2200 - int(300 * vote.chance)), "ECO": constant("C42"),
    })  # fmt: skip


@layout(NOT_WRONG, names=PLAYERS)
def chess_pgn(crowd: Crowd) -> File:
    """Games in the notation of chess."""
    games = [
        f'[Event "Club cup"]\n[Round "{vote.number}"]\n[White "{vote.left}"]\n'
        f'[Black "{vote.right}"]\n[Result "{CHESS.cell(vote)}"]\n\n1. e4 e5 {CHESS.cell(vote)}\n'
        for vote in crowd.votes
    ]
    return File((crowd.order,), raw="\n".join(games).encode(), name="games.pgn")


@layout(
    SUGGESTED,
    "--left",
    "Player A",
    "--right",
    "Player B",
    "--outcome",
    "Score A",
    "--scale",
    "0",
    "1",
    names=PLAYERS,
)
def elo_log(crowd: Crowd) -> File:
    """Score 1, 0.5 or 0 of the first player, with ratings before and after."""
    score = words(1.0, 0.0, 0.5)
    rating = {"A": lambda vote: 1500 + int(200 * vote.chance),
              "B": lambda vote: 1700 - int(200 * vote.chance)}  # fmt: skip
    return votes_file(crowd, {
        "Game": NUMBER, "Player A": LEFT, "Player B": RIGHT,
        "Score A": Made("number", lambda vote: score.cell(vote)),
        "Elo A before": other(rating["A"]), "Elo B before": other(rating["B"]),
        "Elo A after": other(lambda vote: rating["A"](vote) + 8),
        "Elo B after": other(lambda vote: rating["B"](vote) - 8),
    })  # fmt: skip


@layout(RANKED, names=PLAYERS)
def ratings_beside_winner(crowd: Crowd) -> File:
    """Ratings of both players are no outcome: the winner is in a column of its own."""
    return votes_file(crowd, {
        "player1": LEFT, "player2": RIGHT,
        "elo1": other(lambda vote: 1500 + int(200 * vote.chance)),
        "elo2": other(lambda vote: 1700 - int(200 * vote.chance)), "winner": CHOSEN,
    })  # fmt: skip


def league(crowd: Crowd) -> list[list[Cell]]:
    """A row for each team, in a random order."""
    rows: list[list[Cell]] = []
    for place, name in enumerate(crowd.rng.sample(crowd.order, len(crowd.order)), start=1):
        won = round(crowd.score[name] * 2)
        rows.append([place, name, 30, won, 4, 26 - won, 20 + won, 50 - won, 3 * won + 4])
    return rows


@layout(ERROR, names=TEAMS)
def league_table(crowd: Crowd) -> File:
    """A league table holds sums of a team, not votes on two."""
    header = ["Pos", "Team", "P", "W", "D", "L", "GF", "GA", "Pts"]
    return File(None, grid(header, league(crowd)))


@layout(ERROR, names=TEAMS)
def goals_without_teams(crowd: Crowd) -> File:
    """Goals of both sides, and nothing that says which teams played."""
    sheet: Sheet = sheet_of(crowd.votes, {
        "date": MOMENT, "home_goals": goals(1), "away_goals": goals(-1),
        "home_shots": goals(1), "away_shots": goals(-1),
    })  # fmt: skip
    return File(None, sheet)
