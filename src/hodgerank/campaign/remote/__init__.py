"""A campaign that a server has, used over HTTP."""
