"""`proofwalk bench`: suites of tasks proven, run and compared. `commands` has the commands; see the README of this folder's parent."""
