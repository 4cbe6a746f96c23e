"""The classroom: graded sets out, submissions in, grades and feedback back. `python -m classroom --help` says how."""
