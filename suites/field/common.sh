# Sourced by each console's console.sh.
#
# BASE is the folder that gets everything (environments, npm's prefixes, data, logs); nothing is written elsewhere but
# Debian packages. Ports are of the loopback only. HERE is the console's own folder below BASE, set by the console.
set -euo pipefail
BASE=$(mkdir -p "${BASE:-build/field}" && cd "${BASE:-build/field}" && pwd)
NICE=${NICE:-5}

nice_() { nice -n "$NICE" "$@"; }

# apt_ PACKAGE…: install what is missing. The packages' own services are not started (policy-rc.d).
apt_() {
  local missing=() package sudo=
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return 0
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  nice_ $sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=900 install -y -qq --no-install-recommends "${missing[@]}"
}

# wait_http URL SECONDS [NAME]: until it answers with anything. NAME, started by start_, must live: else another
# server has the port.
wait_http() {
  local until=$(($(date +%s) + $2))
  [ -z "${3:-}" ] || sleep 1.5
  while [ "$(date +%s)" -lt "$until" ]; do
    [ -z "${3:-}" ] || kill -0 "$(cat "$HERE/$3.pid")" 2>/dev/null ||
      { echo "$3 has ended: $HERE/log/$3.log" >&2; return 1; }
    [ "$(curl -s -o /dev/null -w '%{http_code}' "$1")" != 000 ] && return 0
    sleep 0.5
  done
  echo "no answer from $1 in $2 s" >&2
  return 1
}

# start_ NAME COMMAND…: in the background, in a session of its own; pid in $HERE/NAME.pid, output in $HERE/log/NAME.log.
start_() {
  local name=$1
  shift
  mkdir -p "$HERE/log"
  setsid nice -n "$NICE" "$@" >>"$HERE/log/$name.log" 2>&1 </dev/null &
  echo $! >"$HERE/$name.pid"
}

# stop_ NAME: the process group that start_ made, by its id.
stop_() {
  local file=$HERE/$1.pid pid
  [ -f "$file" ] || return 0
  pid=$(cat "$file")
  rm -f "$file"
  kill -TERM -- "-$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null || return 0
  for _ in $(seq 60); do
    kill -0 -- "-$pid" 2>/dev/null || return 0
    sleep 0.25
  done
  kill -KILL -- "-$pid" 2>/dev/null || true
}

# One PostgreSQL for the consoles that want it, in $BASE/postgres. A database is reset by copying a seeded template.
PGPORT_=${FIELD_PGPORT:-15432} PGDIR_=$BASE/postgres

pg_bin() { ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1; }
as_pg() { if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }

pg_start() {
  if [ ! -f "$PGDIR_/data/PG_VERSION" ]; then
    mkdir -p "$PGDIR_"
    [ "$(id -u)" != 0 ] || chown postgres "$PGDIR_"
    as_pg "$(pg_bin)/initdb" -D "$PGDIR_/data" -U field --auth=trust --encoding=UTF8 --locale=C.UTF-8 >/dev/null
  fi
  as_pg "$(pg_bin)/pg_ctl" -D "$PGDIR_/data" status >/dev/null 2>&1 ||
    as_pg nice -n "$NICE" "$(pg_bin)/pg_ctl" -D "$PGDIR_/data" -w -l "$PGDIR_/server.log" \
      -o "-c listen_addresses=127.0.0.1 -c port=$PGPORT_ -c unix_socket_directories=$PGDIR_ -c fsync=off \
          -c full_page_writes=off -c synchronous_commit=off ${PGOPTIONS_:-}" start >/dev/null
}

# sql DATABASE STATEMENT
sql() {
  "$(pg_bin)/psql" -h 127.0.0.1 -p "$PGPORT_" -U field -d "$1" -v ON_ERROR_STOP=1 -qAt -c "$2"
}

# pg_template NAME: keep NAME as NAME_seed.
pg_template() {
  sql postgres "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN ('$1','$1_seed')" >/dev/null
  sql postgres "DROP DATABASE IF EXISTS $1_seed"
  sql postgres "CREATE DATABASE $1_seed TEMPLATE $1"
}

# pg_reset NAME: NAME is as it was at pg_template. The console reconnects by itself.
pg_reset() {
  sql postgres "DROP DATABASE IF EXISTS $1 WITH (FORCE)"
  sql postgres "CREATE DATABASE $1 TEMPLATE $1_seed"
}
