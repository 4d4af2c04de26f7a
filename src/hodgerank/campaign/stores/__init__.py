"""Storage of campaigns: in memory, in an SQLite file, or in PostgreSQL for several processes.

A `Store` appends events to logs and keeps access keys. `group_commit` is the one thread that
writes; `sql` has the tables and queries that both databases share, with their migrations.
"""
