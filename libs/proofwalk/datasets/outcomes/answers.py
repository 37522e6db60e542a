"""What an outcome reward model answers (WebRL §2.1), and how a question says that the
agent thinks that it is done."""

YES = "YES"
NO = "NO"
DONE = "The agent said that the procedure is done."
