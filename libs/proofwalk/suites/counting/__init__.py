"""What runs of a suite came to: rows, figures, their statistics, and two results
compared."""
