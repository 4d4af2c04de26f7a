"""Plain votes in every file format, encoding and kind of untidiness."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import replace

from corpus.crowd import DRINKS, IMAGES, LATIN_TOWNS, NUMBERS, TOWNS, Crowd
from corpus.files import (
    CHOSEN,
    LEFT,
    NUMBER,
    RIGHT,
    SECONDS,
    WORKER,
    File,
    Made,
    Style,
    as_workbook,
    constant,
    grid,
    number,
    other,
    records,
    sheet_of,
    votes_file,
    words,
)
from corpus.layout import NOT_WRONG, RANKED, SUGGESTED, layout

PLAIN = {"left": LEFT, "right": RIGHT, "winner": words("left", "right", "tie"), "worker": WORKER}


def plain(crowd: Crowd, name: str = "votes.csv", **style: object) -> File:
    """left, right, winner and worker."""
    return votes_file(crowd, PLAIN, name=name, style=Style(**style))  # type: ignore[arg-type]


@layout(RANKED)
def plain_comma(crowd: Crowd) -> File:
    """Commas."""
    return plain(crowd)


@layout(RANKED)
def plain_tab(crowd: Crowd) -> File:
    """Tabs in a file called .csv."""
    return plain(crowd, separator="\t")


@layout(RANKED)
def plain_bar(crowd: Crowd) -> File:
    """Bars in a file called .txt."""
    return plain(crowd, "votes.txt", separator="|")


@layout(RANKED)
def windows_quoted(crowd: Crowd) -> File:
    """Semicolons, quotation marks and the line ends of Windows."""
    return plain(crowd, separator=";", quote=True, line_end="\r\n")


@layout(SUGGESTED, "--encoding", "latin-1", names=LATIN_TOWNS)
def latin_1(crowd: Crowd) -> File:
    """An encoding of the last century."""
    return plain(crowd, encoding="latin-1")


@layout(RANKED, names=TOWNS)
def utf_16(crowd: Crowd) -> File:
    """UTF-16 with a mark and tabs, as Excel saves Unicode text."""
    return plain(crowd, "votes.txt", encoding="utf-16", separator="\t")


@layout(RANKED, names=TOWNS)
def byte_order_mark(crowd: Crowd) -> File:
    """UTF-8 with a mark."""
    return plain(crowd, encoding="utf-8-sig")


@layout(RANKED)
def decimal_commas(crowd: Crowd) -> File:
    """Semicolons and decimal commas in a column beside the votes."""
    columns = {**PLAIN, "seconds": SECONDS}
    return votes_file(crowd, columns, style=Style(separator=";", decimal_comma=True))


@layout(SUGGESTED)
def headers_with_units(crowd: Crowd) -> File:
    """Headers in quotation marks with units and remarks."""
    return votes_file(crowd, {
        "Left image, as shown": LEFT, "Right image, as shown": RIGHT,
        "Choice (left/right)": words("left", "right"), "Response time [s]": SECONDS,
        "Observer (anonymised)": WORKER,
    }, style=Style(quote=True))  # fmt: skip


@layout(NOT_WRONG)
def comment_lines(crowd: Crowd) -> File:
    """Comments above the header."""
    return plain(crowd, before=("# Study 3, spring", "# left and right as shown, ties allowed"))


@layout(NOT_WRONG)
def title_line(crowd: Crowd) -> File:
    """A title and an empty line above the header."""
    return plain(crowd, before=("Results of study 3", ""))


@layout(NOT_WRONG)
def title_with_commas(crowd: Crowd) -> File:
    """A title as a spreadsheet writes it, with empty cells."""
    return plain(crowd, before=("Results of study 3,,,", ",,,"))


@layout(SUGGESTED, "--skip-invalid")
def total_row(crowd: Crowd) -> File:
    """A last row with the number of votes: Total is no item."""
    return plain(crowd, after=("Total,,240,",))


@layout(SUGGESTED, "--skip-invalid")
def end_of_export(crowd: Crowd) -> File:
    """A last line that says that the export is complete."""
    return plain(crowd, after=("", "-- end of export --"))


@layout(RANKED)
def pandas_index(crowd: Crowd) -> File:
    """An index column that nobody named."""
    return votes_file(crowd, {"Unnamed: 0": NUMBER, **PLAIN})


@layout(RANKED)
def empty_header_cell(crowd: Crowd) -> File:
    """An index column without a name."""
    return votes_file(crowd, {"": NUMBER, **PLAIN})


@layout(RANKED)
def repeated_comments(crowd: Crowd) -> File:
    """Two columns of the same name that are no part of a vote."""
    file = votes_file(crowd, {**PLAIN, "comment": constant("-"), "comment2": constant("-")})
    assert file.sheet is not None
    file.sheet.columns[-1].name = "comment"
    return file


@layout(NOT_WRONG)
def repeated_items(crowd: Crowd) -> File:
    """Both items are in columns called item."""
    file = votes_file(crowd, {"item": LEFT, "item2": RIGHT, "chosen": CHOSEN})
    assert file.sheet is not None
    file.sheet.columns[1].name = "item"
    return file


@layout(RANKED, "--no-header", "--left", "1", "--right", "2", "--outcome", "3")
def no_header(crowd: Crowd) -> File:
    """Left, right and the chosen item, without a header."""
    columns = {"left": LEFT, "right": RIGHT, "winner": CHOSEN}
    return votes_file(crowd, columns, style=Style(header=False))


@layout(RANKED, names=NUMBERS)
def ids_and_labels(crowd: Crowd) -> File:
    """Items by number; their names are in another file."""
    labels = grid(["id", "label"], [[name, f"item of {name}"] for name in crowd.order])
    columns = {"left": LEFT, "right": RIGHT, "winner": CHOSEN, "worker": WORKER}
    others = {"labels.csv": File(None, labels).content}
    return votes_file(crowd, columns, others=others)


@layout(RANKED, names=("1", "2", "3", "4", "5", "6", "7", "8"))
def small_numbers(crowd: Crowd) -> File:
    """Items are called 1 to 8, and the choice names one of them."""
    return votes_file(crowd, {"item1": LEFT, "item2": RIGHT, "choice": CHOSEN, "rater": WORKER})


@layout(RANKED, names=("A", "B", "C", "D", "E", "F", "G"))
def letters(crowd: Crowd) -> File:
    """Items are called A to G, and the choice names one of them."""
    return votes_file(crowd, {"option_a": LEFT, "option_b": RIGHT, "choice": CHOSEN})


@layout(NOT_WRONG, "--outcome-as", "word", names=("A", "B", "C", "D", "E", "F", "G"))
def letters_and_sides(crowd: Crowd) -> File:
    """Items are called A to G, and A or B in the answer means the side."""
    return votes_file(crowd, {
        "option_a": LEFT, "option_b": RIGHT, "answer": words("A", "B"), "rater": WORKER,
    })  # fmt: skip


@layout(RANKED)
def workbook(crowd: Crowd) -> File:
    """Excel."""
    return plain(crowd, "votes.xlsx")


@layout(NOT_WRONG)
def workbook_with_title(crowd: Crowd) -> File:
    """Excel with a title above the table."""
    file = plain(crowd, "votes.xlsx")
    assert file.sheet is not None
    return replace(file, sheet=None, raw=as_workbook(file.sheet, [["Results of study 3"], []]))


@layout(RANKED, names=DRINKS)
def open_document(crowd: Crowd) -> File:
    """An OpenDocument spreadsheet."""
    return plain(crowd, "votes.ods")


@layout(NOT_WRONG, "--sheet", "Votes")
def workbook_of_two_sheets(crowd: Crowd) -> File:
    """The first sheet explains the second, which holds the votes."""
    import xlsxwriter

    sheet, stream = sheet_of(crowd.votes, PLAIN), io.BytesIO()
    about = [["column", "meaning"], ["left", "item on the left"], ["winner", "preferred side"]]
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        for name, rows in (("About", about), ("Votes", [sheet.header, *sheet.rows])):
            page = book.add_worksheet(name)
            for place, row in enumerate(rows):
                page.write_row(place, 0, row)
    return File((crowd.order,), raw=stream.getvalue(), name="votes.xlsx")


@layout(RANKED)
def gzipped(crowd: Crowd) -> File:
    """A compressed table."""
    return File((crowd.order,), raw=gzip.compress(plain(crowd).content), name="votes.csv.gz")


@layout(NOT_WRONG)
def wrapped_objects(crowd: Crowd) -> File:
    """One JSON object that holds the list of votes."""
    rows = records(sheet_of(crowd.votes, PLAIN))
    content = json.dumps({"study": 3, "votes": rows}).encode()
    return File((crowd.order,), raw=content, name="votes.json")


@layout(RANKED)
def line_breaks_in_cells(crowd: Crowd) -> File:
    """Texts of several lines, with quotation marks and separators in them."""
    said = other(lambda vote: f'He said "no; {vote.number}",\nand left,\n\nright?')
    return votes_file(crowd, {"comment": said, **PLAIN, "reason": said})


@layout(RANKED)
def lines_of_objects(crowd: Crowd) -> File:
    """JSON lines."""
    return plain(crowd, "votes.jsonl")


@layout(NOT_WRONG)
def choice_in_other_case(crowd: Crowd) -> File:
    """The chosen item in capital letters."""
    shouted = Made("item", lambda vote: vote.winner.upper())
    return votes_file(crowd, {"left": LEFT, "right": RIGHT, "choice": shouted})


@layout(RANKED, names=IMAGES)
def sides_in_other_words(crowd: Crowd) -> File:
    """The columns are item_1 and item_2, the winner is left or right."""
    return votes_file(crowd, {
        "item_1": LEFT, "item_2": RIGHT, "winner": words("left", "right", "draw"),
        "confidence": number(lambda vote: 1 + int(5 * vote.chance)),
        "batch": other(lambda vote: 1 + vote.number // 50),
    })  # fmt: skip
