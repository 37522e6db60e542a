"""Sentences of help centres that ask for nothing."""

REMARKS: list[str] = [
    "Repeat these steps for each additional tag.",
    "Deleting a queue is permanent and can't be undone.",
    "You need the **Owner** role to perform this task.",
    "Accept the suggested name or enter your own.",
    "Depending on your plan, you may see additional options.",
    "Your job is now in the queue.",
    "The counter next to **Failed** shows `0`.",
    "The group `night-shift` is listed on the **Groups** page.",
    "Its row shows **0 members**.",
    "You see the message **Group created**.",
    'The message "Group created" confirms this.',
    "The console confirms with **Group created**.",
    "The button changes to **Resume**.",
    "The button text changes from **Pause** to **Resume**.",
    "The label next to the name reads **Paused**.",
    "The badge next to the name turns to **Paused**.",
    "The entry moves to the **Archived** tab.",
    "Accept the default value of `30`, or enter a different value.",
    "The group is no longer shown in the list.",
]
