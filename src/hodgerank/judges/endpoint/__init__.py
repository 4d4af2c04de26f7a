"""Calls to a model: one chat completion over HTTP.

`Endpoint` repeats a call by the rules in `retries`, no faster than `pace` allows; `connection`
sends it and keeps the key secret; `completion` reads the reply.
"""
