"""What `make measure` calls: `python -m measuring --help`."""

from measuring.ladder.command import main

if __name__ == "__main__":
    raise SystemExit(main())
