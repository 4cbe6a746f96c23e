"""What runs in a student's process. Nothing that it says is trusted, and nothing in it holds a test."""
