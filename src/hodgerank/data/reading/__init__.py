"""From a raw table to `Comparisons`.

`VoteSource` is the entry point. `layout_detection` recognises the layout from `column_names` and
values; `layouts`, `ballots` and `count_tables` are the layouts. `decode` turns rows into votes with
the help of `outcomes` and `values`, and `report` counts rows that were left out. If a layout is not
recognised, `suggestions` proposes options that fit the columns.
"""
