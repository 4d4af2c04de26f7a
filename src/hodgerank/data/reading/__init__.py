"""From a raw table to `Comparisons`.

`VoteSource` is the way in. `layout_detection` recognises what a table holds from `column_names` and
values, `layouts`, `ballots` and `count_tables` are the forms it can have, `decode` turns rows into
votes with the help of `outcomes` and `values`, and `report` says what became of every row. Where a
table is not understood, `suggestions` proposes options that fit it.
"""
