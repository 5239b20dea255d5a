"""`python -m sqlrp._cli`."""

from sqlrp._cli import main

main()
