"""Pages that open offline, and the charts in them: curves over steps, bars with
intervals, histograms."""
