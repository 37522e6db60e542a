"""Are the tests whole, sharp and steady: coverage, mutation score, flakes."""
