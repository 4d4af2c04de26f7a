"""Commands: one function for each thing that can be done to a campaign.

A command gets the state at the end of the log and the time, refuses or records events, and names
the keys that go with them. `CampaignLog.transact` runs it, and makes both durable in one
transaction: there is no moment at which somebody is banned and still has a session. Python,
the command line, pages and the API call these functions, and add nothing to what they do.

Which keys go: `ban` and `forget` take all with which the worker answers in this campaign, sessions
of browsers and tokens of judges; `restore_worker` gives none back. `admit` ends sessions only.
Nothing else touches keys: after `close`, `reset` and `finish` workers still see the page that
thanks them, and judges the progress. Keys of other campaigns, keys that are good for all of them,
and those of owners and readers are never touched.
"""
