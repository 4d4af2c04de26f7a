"""Loops that collect answers, and when to stop.

`run` asks a judge that answers at once, `run_async` many that take time, `replay` recorded votes,
and `forecast` simulated continuations. `collector` keeps answers on disk as they come, `stopping`
has the rules and their text form, `call_loop` is shared by all loops with many calls in progress.
"""
