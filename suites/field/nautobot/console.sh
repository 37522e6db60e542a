#!/usr/bin/env bash
# Nautobot of PyPI. console.sh install|start|seed|reset|stop|log
#
# PostgreSQL and Redis are its own, on their own loopback ports. The first start migrates an empty database, which takes a
# quarter of an hour; what comes of it is kept as a dump (DUMP), from which every later database is made. `reset` copies a
# template of the seeded database. Its record is made of the change log and of the log of requests (record.py).
DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
FIELD_PGPORT=${FIELD_PGPORT:-18432}
# shellcheck source=../common.sh
. "$DIR/../common.sh"
HERE=$BASE/nautobot
mkdir -p "$HERE"
PORT=${PORT:-18090} REDIS_PORT=${REDIS_PORT:-18379}
VERSION=${VERSION:-3.2.7}
DUMP=${DUMP:-$HERE/migrated-$VERSION.dump}
PGDIR_=$HERE/postgres
export FIELD_USER=admin FIELD_PASSWORD='Field-console-1' FIELD_TOKEN=0123456789abcdef0123456789abcdef01234567
export NAUTOBOT_ROOT=$HERE/root NAUTOBOT_CONFIG=$DIR/nautobot_config.py REQUESTS=$HERE/log/requests.jsonl
export NAUTOBOT_DB_HOST=127.0.0.1 NAUTOBOT_DB_PORT=$PGPORT_ NAUTOBOT_DB_NAME=nautobot NAUTOBOT_DB_TIMEOUT=0
export NAUTOBOT_DB_USER=field NAUTOBOT_DB_PASSWORD=field
export NAUTOBOT_REDIS_HOST=127.0.0.1 NAUTOBOT_REDIS_PORT=$REDIS_PORT
export NAUTOBOT_SECRET_KEY=field-field-field-field-field-field-field-field-field
export NAUTOBOT_ALLOWED_HOSTS=127.0.0.1 NAUTOBOT_LOG_LEVEL=WARNING PYTHONDONTWRITEBYTECODE=1

# server COMMAND…: nautobot-server
server() { nice_ "$HERE/venv/bin/nautobot-server" "$@"; }

install() {
  apt_ postgresql redis-server curl python3-venv
  [ -x "$HERE/venv/bin/pip" ] || python3 -m venv "$HERE/venv"
  nice_ "$HERE/venv/bin/pip" install -q "nautobot==$VERSION"
}

services() {
  pg_start
  if ! { [ -f "$HERE/redis.pid" ] && kill -0 "$(cat "$HERE/redis.pid")" 2>/dev/null; }; then
    start_ redis redis-server --bind 127.0.0.1 --port "$REDIS_PORT" --save '' --appendonly no --dir "$HERE"
  fi
  local until=$(($(date +%s) + 20))
  until redis-cli -p "$REDIS_PORT" ping >/dev/null 2>&1; do
    [ "$(date +%s)" -lt "$until" ] || { echo "no Redis on port $REDIS_PORT: $HERE/log" >&2; return 1; }
    sleep 0.2
  done
}

configure() {
  mkdir -p "$NAUTOBOT_ROOT" "$HERE/log"
  cat >"$HERE/uwsgi.ini" <<INI
[uwsgi]
http-socket = 127.0.0.1:$PORT
master = true
processes = 2
threads = 2
enable-threads = true
single-interpreter = true
die-on-term = true
module = nautobot.core.wsgi:application
buffer-size = 8192
add-header = Connection: close
INI
}

# migrate: an empty database of this version as $DUMP.
migrate() {
  sql postgres 'DROP DATABASE IF EXISTS nautobot WITH (FORCE)'
  sql postgres 'CREATE DATABASE nautobot'
  server migrate --no-input >"$HERE/log/migrate.log" 2>&1
  server post_upgrade >"$HERE/log/post-upgrade.log" 2>&1
  "$(pg_bin)/pg_dump" -h 127.0.0.1 -p "$PGPORT_" -U field -Fc -f "$DUMP.part" nautobot
  mv "$DUMP.part" "$DUMP"
}

# seed: the database anew from the dump, with what seed.py makes, kept as the template that reset copies.
seed() {
  services
  configure
  [ -f "$DUMP" ] || migrate
  sql postgres 'DROP DATABASE IF EXISTS nautobot WITH (FORCE)'
  sql postgres 'CREATE DATABASE nautobot'
  "$(pg_bin)/pg_restore" -h 127.0.0.1 -p "$PGPORT_" -U field -d nautobot --no-owner "$DUMP"
  server nbshell --command "$(cat "$DIR/seed.py")" >"$HERE/log/seed.log" 2>&1
  grep -q '^seeded$' "$HERE/log/seed.log" || { tail -n 20 "$HERE/log/seed.log" >&2; return 1; }
  pg_template nautobot
  redis-cli -p "$REDIS_PORT" flushall >/dev/null
}

start() {
  services
  configure
  [ -n "$(sql postgres "SELECT 1 FROM pg_database WHERE datname='nautobot_seed'")" ] || seed
  start_ web "$HERE/venv/bin/nautobot-server" start --ini "$HERE/uwsgi.ini"
  wait_http "http://127.0.0.1:$PORT/login/" 180 web
}

stop() {
  stop_ web
  stop_ redis
  [ ! -f "$PGDIR_/data/postmaster.pid" ] || as_pg "$(pg_bin)/pg_ctl" -D "$PGDIR_/data" -m fast -w stop >/dev/null
}

reset() {
  pg_reset nautobot
  redis-cli -p "$REDIS_PORT" flushall >/dev/null
}

log() {
  PATH=$(pg_bin):$PATH exec nice -n "$NICE" python3 "$DIR/record.py" \
    --database "postgresql://field@127.0.0.1:$PGPORT_/nautobot" --requests "$REQUESTS" --into "$FIELD_LOG"
}

"${1:?install|start|seed|reset|stop|log}"
