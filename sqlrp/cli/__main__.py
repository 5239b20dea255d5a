"""`python -m sqlrp.cli`."""

from sqlrp.cli import main

main()
