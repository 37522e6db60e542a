"""Charts as inline SVG for pages that open offline: curves over steps, bars with intervals, histograms."""
