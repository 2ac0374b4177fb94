"""What measures: `make bench`. Nothing here asserts a time; it prints them, and where it ran."""
