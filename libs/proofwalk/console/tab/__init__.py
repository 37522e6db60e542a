"""One tab of the browser: loading, dialogs, looks (`page`), and its pointer and
keyboard (`devices`)."""
