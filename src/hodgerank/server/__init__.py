"""Campaigns in a browser: pages for owners and workers, and the same for programs over HTTP."""
