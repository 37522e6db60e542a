"""What the world does to the success of a policy that makes no mistakes. `names` says
what stands for META's outputs where there is no META, `plans` what is asked for in each
mode, `walking` has it walked and looks at what is left, `counting` makes figures."""
