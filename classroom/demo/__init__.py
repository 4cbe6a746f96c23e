"""A made-up class for `make classroom-demo`: right work, honest mistakes, accidents and attacks."""
