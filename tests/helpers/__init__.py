"""What several test modules share, and that is no fixture: none of these holds a test."""
