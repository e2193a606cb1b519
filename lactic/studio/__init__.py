"""The studio: watch, tire, push, compare and export characters in the browser."""
