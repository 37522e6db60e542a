"""Chromium: the program, its DevTools connection, and the script worlds of its
documents."""
