"""Training data without torch: episodes as they were collected (`collection`), what of
them is worth learning, as chat samples.

Mechanism, in the order in which data passes: `collection` keeps trajectories with their
typed outcomes; `filters` drops episodes and steps, each by a named rule
(AliyunConsoleAgent §5.1, two-level filtering); `turns` rebuilds what a policy was shown
at each step; `hindsight` has a model write the thoughts anew (EvoCUA §5.1); `samples`
asks the agent's own code for the conversation of that turn and writes the answer beside
it; `decontamination` refuses what an evaluation task is known from; `statistics`
counts; `singlestep` makes the benchmark of single decisions (§6.1).
"""
