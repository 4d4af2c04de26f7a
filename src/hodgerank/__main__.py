"""`python -m hodgerank`."""

from hodgerank.cli import main

main()
