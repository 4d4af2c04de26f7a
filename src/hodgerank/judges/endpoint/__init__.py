"""Calls to a model: one chat completion over HTTP.

`Endpoint` tries a call until it is answered or given up, with the rules in `retries`, no faster
than `pace` allows; `connection` sends it and keeps the key secret; `completion` reads the reply.
"""
