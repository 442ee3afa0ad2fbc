"""`python -m hamletc`."""

from hamletc.cli.main import main

main()
