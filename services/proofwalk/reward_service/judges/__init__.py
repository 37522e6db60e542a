"""Two models that judge what no rule can: an episode without one (AliyunConsoleAgent
§5.2, Eq. 1, channel 2), and the free text of an answer (RiskWebWorld §5.1).

Read `consensus` and `field_consensus` (when two answers make a reward), `answers` (what
an answer has to hold up), `question` and `instructions` (what a judge is told), all
pure over a `case`; `judge` asks one model, `panel` asks both and stores, `free_text`
goes on where a rule has left off.
"""
