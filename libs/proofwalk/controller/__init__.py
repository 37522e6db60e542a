"""Environments for agents that are not ours, in AgentBench's form: a client starts a
sample of a task, answers what it is shown with actions, and gets a score.

wire          the requests and answers of AgentBench's task controller
task_sets     what is served: named sets of tasks, and an episode of one of them
consoles      tasks of `proofwalk.gym` in browsers
desktops      tasks of OSWorld's format on virtual machines
conversation  an episode as messages: what an agent is shown, how answers are read
ending        outcomes of the house as AgentBench's statuses
sessions      episodes under way: bounded in number, size and time, with owners
overall       what the results of many samples come to
owners        who asks: names with tokens
http_api      the routes: begin here

An episode that its environment failed is AgentBench's "task error" and has no score.
"""
