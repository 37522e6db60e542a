#!/bin/sh
# Runs a command that fetches something, and says meanwhile what it is at: `timed.sh WHAT COMMAND…`. Plain lines, which read well in a log too:
#
#     0 s  Python packages: begun
#    10 s  Python packages: downloading playwright-1.65.2-py3-none-manylinux1_x86_64.whl (48.1 MB)
#    41 s  Python packages: done
#
# Seconds are counted from SETUP_BEGUN, where that is set, so that commands beside each other have one clock. What the command itself says is kept
# in a file, of which the end is shown when the command fails. Ends as the command ends.
set -u
what=$1
shift
begun=${SETUP_BEGUN:-$(date +%s)}
log=$(mktemp)

say() { printf '%4d s  %s: %s\n' "$(($(date +%s) - begun))" "$what" "$1"; }

# The last line of uv, pip or apt that tells what it is at, in the same words for both.
doing() {
  now=$(sed -n \
    -e 's/^Get:[0-9]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .*\[\(.*\)\]$/downloading \1 (\2)/p' \
    -e 's/^Unpacking \([^ ]*\).*/unpacking \1/p' \
    -e 's/^Setting up \([^ ]*\).*/setting up \1/p' \
    -e 's/^ *Downloading \(.*\/\)\{0,1\}\([^ ]*\) (\(.*\))$/downloading \2 (\3)/p' \
    -e 's/^ *Downloaded \([^ ]*\)$/downloaded \1/p' \
    -e 's/^Resolved \([0-9]* packages\).*/downloading \1/p' \
    -e 's/^Prepared [0-9]* packages.*/unpacking what was downloaded/p' \
    -e 's/^ *Building \([^ ]*\).*/building \1/p' \
    -e 's/^Collecting \([^ ]*\).*/looking for \1/p' \
    -e 's/^Processing .*\/\([^/]*\)$/reading \1/p' \
    -e 's/^Installing collected packages.*/unpacking what was downloaded/p' "$log" 2>/dev/null | tail -n 1 | cut -c 1-100)
  printf '%s' "${now:-at work}"
}

say begun
# `sleep` holds nothing open, or a reader of our output would wait for it.
(while sleep "${SETUP_EVERY:-10}" >/dev/null 2>&1; do say "$(doing)"; done) &
ticker=$!
trap 'kill "$ticker" 2>/dev/null; rm -f "$log"; exit 130' INT TERM
"$@" >"$log" 2>&1
status=$?
kill "$ticker" 2>/dev/null
wait "$ticker" 2>/dev/null
if [ "$status" = 0 ]; then
  say done
else
  say "failed; the end of what it said:"
  grep -v -e '^WARNING: Location' -e '^Looking in' "$log" | tail -n 12 | sed 's/^/        /'
fi
rm -f "$log"
exit "$status"
