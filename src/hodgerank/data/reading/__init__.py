"""From a raw table to `Comparisons`.

`VoteSource` is the entry point. `layout_detection` recognises the layout from `column_names`, and
`column_values` refuses one that the values contradict. `layouts`, `ballots`, `count_tables`,
`list_cells`, `pair_columns` and `judgment_files` are the layouts; `derived_columns` makes columns
from others. `decode` turns rows into votes with the help of `outcomes`, `outcome_words` and
`values`, `item_names` names the items, and `report` counts rows that were left out. If a layout is
not recognised, `suggestions` tries `candidates` on the table and proposes what fits.
`group_columns` points out columns that hold groups, units or populations.
"""
