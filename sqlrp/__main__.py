"""`python -m sqlrp`."""

from sqlrp.cli import main

main()
