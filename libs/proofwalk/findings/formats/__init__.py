"""Verdicts as continuous integration reads them: SARIF, JUnit XML, GitLab's Code
Quality, commands in a log, a summary in Markdown.

Each module writes `checked.Checked` in one format. What documents and pages say is data
in all of them: each module escapes it as its format demands, and `texts` drops what no
format can carry.
"""
