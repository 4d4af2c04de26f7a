"""Campaigns in a browser: pages for owners and workers, and JSON for programs.

`routes` is the table of everything that can be asked and by whom. A request passes
`security_middleware` and `auth`, and is answered in `views`. What takes long runs in
`analysis_process`; `standings` keeps the latest results, and `live_stream` sends them to
those who watch. `ServerContext` holds what all of them share.
"""
