"""Desktops: virtual machines that a policy sees and steers as it does a console, and
tasks of OSWorld's format on them.

image       what the build made (`deploy/desktop`): disk, kernel, the saved state of a
usable screen machine     QEMU: its program, its files, its life seat        its screen,
keys and pointer, for the one who holds it wires       what a seat is made of, and those
of a machine on this system (QMP, ports) serving     those of a machine, over a
WebSocket, for a holder elsewhere remote      the holder's end of that keyboard
characters and names of keys as keys port        inside the guest: requests over a
virtio port, to its agent (programs, files) and to ours (`deploy/desktop/guest/eyes.py`)
guest       what is asked there: run, read, write, paste, look hands       the unified
actions (`console.actions`) on a machine session     looks and actions, with marks:
begin here osworld     tasks: their format, their setup, their evaluation
"""
