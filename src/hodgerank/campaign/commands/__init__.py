"""Commands: one function for each change of a campaign.

A command gets the state at the end of the log and the time, raises an error or records events, and
lists keys to revoke. `CampaignLog.transact` runs it and makes both durable in one transaction, so a
banned worker never keeps a session. Python, the command line, the pages and the API all call these
functions.

`ban` and `forget` revoke all keys with which the worker answers in this campaign: browser sessions
and judge tokens; `restore_worker` does not bring them back. `admit` ends sessions only. No other
command revokes keys: after `close`, `reset` and `finish` workers still see the final page, and
judges the progress. Keys of other campaigns, keys for all campaigns, and those of owners and
readers are not affected.
"""
