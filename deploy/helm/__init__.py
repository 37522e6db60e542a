"""The chart (`proofwalk/`), and where its values are declared (`values`) and written
out from (`reference`)."""
