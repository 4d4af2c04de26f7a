"""Loops that collect votes, and stopping rules.

`run` asks a judge that answers at once, `run_async` many judges in parallel, `replay` recorded
votes, and `forecast` simulated continuations. `collector` saves votes as they come, `stopping` has
the rules and their text form, and `call_loop` is shared by all loops with several calls in
progress.
"""
