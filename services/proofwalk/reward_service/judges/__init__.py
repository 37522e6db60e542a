"""Two models that judge an episode where no rule exists (AliyunConsoleAgent §5.2, Eq.
1, channel 2).

Read `consensus` (when two answers make a reward), `answers` (what an answer has to hold
up), `question` (what a judge is told), all pure over a `case`; `judge` asks one model,
`panel` asks both and stores.
"""
