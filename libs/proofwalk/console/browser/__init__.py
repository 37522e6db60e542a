"""Chromium and its tabs: the program, its DevTools connection, script worlds, input devices, one tab (`page`)."""
