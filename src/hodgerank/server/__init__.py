"""Campaigns in the browser: pages for owners and workers, and a JSON API.

`routes` is the table of all routes and who may use them. A request passes `security_middleware` and
`auth`, and is handled in `views`. Slow analyses run in `analysis_process`; `standings` keeps the
latest results, and `live_stream` sends them to open pages. `ServerContext` holds what all of them
share.
"""
