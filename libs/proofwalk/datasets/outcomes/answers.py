"""What an outcome reward model answers (WebRL §2.1)."""

YES = "YES"
NO = "NO"
