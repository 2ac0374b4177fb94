"""Lessons, pages and questions as files: reading, checking, marking, exporting."""
