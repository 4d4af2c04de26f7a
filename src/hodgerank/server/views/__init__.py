"""Views: HTML pages and JSON responses, one module per resource.

A view reads its input, runs a command of the campaign, and renders the result. `layout` is the
frame of every page for owners, `worker_request` checks requests from workers' pages, and
`request_fields` and `openapi` describe the JSON.
"""
