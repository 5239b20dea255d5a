"""`python -m sqlrp`."""

from sqlrp._cli import main

main()
