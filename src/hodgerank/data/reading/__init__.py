"""From a raw table to comparisons: options, layouts, outcomes, and a report of what was read."""
