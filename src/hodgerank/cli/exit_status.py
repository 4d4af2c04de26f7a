"""Exit statuses of the commands; 0 is success."""

WRONG_USAGE = 2
BAD_INPUT = 3
NOT_UNIQUE = 4
INTERRUPTED = 130
