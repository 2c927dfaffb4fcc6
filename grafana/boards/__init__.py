"""One module for each dashboard. Each defines `board()`."""
