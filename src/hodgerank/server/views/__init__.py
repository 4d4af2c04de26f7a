"""Views: what a request is answered with, HTML pages and JSON of one resource in one module.

A view reads its input, calls a command of the campaign, and renders the result. `layout` is what
stands around every page of an owner, `worker_request` what scripts of workers' pages send along,
`request_fields` and `openapi` describe the JSON.
"""
