#!/usr/bin/env bash
# Unleash 7.4.1 of npm, open source edition (React, MUI). console.sh install|start|seed|reset|stop
#
# It has a PostgreSQL of its own below its folder. Its record is the console's own event log, read over HTTP with the
# token that is made at the first start.
DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../common.sh
. "$DIR/../common.sh"
HERE=$BASE/unleash
mkdir -p "$HERE"
PGDIR_=$HERE/postgres PGPORT_=${FIELD_PGPORT:-15442}
PORT=${PORT:-14242} VERSION=${VERSION:-7.4.1}
USER_=admin PASSWORD_='Field-console-1' TOKEN='*:*.field0000000000000000000000000000000000000000000000000000000000'
URL=http://127.0.0.1:$PORT

# api METHOD PATH [JSON]
api() {
  curl -sS -f -m 30 -o /dev/null -H "Authorization: $TOKEN" -H 'Content-Type: application/json' -X "$1" \
    "$URL/api/admin$2" ${3:+-d "$3"}
}

install() {
  apt_ postgresql curl
  # A Node.js that is there brings an npm of its own, which the Debian package npm conflicts with.
  command -v npm >/dev/null || apt_ nodejs npm
  [ -f "$HERE/package.json" ] || echo '{"name":"field-unleash","private":true}' >"$HERE/package.json"
  (cd "$HERE" && nice_ env SCARF_ANALYTICS=false npm install --no-audit --no-fund "unleash-server@$VERSION")
}

# A flag that is deleted while its archiving is still written down makes the server reject without a handler, and end.
run() {
  start_ web env DATABASE_URL="postgres://field:field@127.0.0.1:$PGPORT_/unleash" DATABASE_SSL=false \
    HTTP_HOST=127.0.0.1 HTTP_PORT="$PORT" UNLEASH_URL="$URL" NODE_ENV=production LOG_LEVEL=warn \
    CHECK_VERSION=false SEND_TELEMETRY=false SCARF_ANALYTICS=false INIT_ADMIN_API_TOKENS="$TOKEN" \
    UNLEASH_DEFAULT_ADMIN_USERNAME=$USER_ UNLEASH_DEFAULT_ADMIN_PASSWORD="$PASSWORD_" \
    node --unhandled-rejections=warn "$HERE/node_modules/unleash-server/dist/server.js"
  wait_http "$URL/health" 180 web
}

start() {
  pg_start
  if [ -z "$(sql postgres "SELECT 1 FROM pg_database WHERE datname='unleash_seed'")" ]; then
    sql postgres 'DROP DATABASE IF EXISTS unleash WITH (FORCE)'
    sql postgres 'CREATE DATABASE unleash'
    run
    seed
    stop_ web
    pg_template unleash
  fi
  run
}

# dismiss USER: the welcome window, which a user sees until it has been closed once.
dismiss() {
  local jar=$HERE/cookies
  curl -sS -f -m 30 -o /dev/null -c "$jar" -H 'Content-Type: application/json' \
    -d "{\"username\":\"$1\",\"password\":\"$PASSWORD_\"}" "$URL/auth/simple/login"
  curl -sS -f -m 30 -o /dev/null -b "$jar" -X POST "$URL/api/admin/splash/personalDashboardKeyConcepts"
  rm -f "$jar"
}

seed() {
  local features=/projects/default/features flag user
  for flag in checkout-v2 dark-mode beta-search; do
    api POST $features "{\"name\":\"$flag\",\"type\":\"release\"}"
  done
  api POST $features/dark-mode/environments/development/strategies \
    '{"name":"flexibleRollout","parameters":{"rollout":"50","stickiness":"default","groupId":"dark-mode"}}'
  api POST /tag-types '{"name":"team","description":"Who owns it"}'
  api POST /context '{"name":"region","description":"Where","legalValues":[{"value":"Africa"},{"value":"Europe"}]}'
  for user in 'editor 2 Eva Editor' 'viewer 3 Vic Viewer'; do
    # shellcheck disable=SC2086
    set -- $user
    api POST /user-admin "{\"username\":\"$1\",\"email\":\"$1@example.com\",\"name\":\"$3 $4\",\"rootRole\":$2,
      \"password\":\"$PASSWORD_\",\"sendEmail\":false}"
  done
  dismiss $USER_
}

stop() {
  stop_ web
  [ ! -f "$PGDIR_/data/postmaster.pid" ] || as_pg "$(pg_bin)/pg_ctl" -D "$PGDIR_/data" -m fast -w stop >/dev/null
}

# It keeps caches, so it is started anew.
reset() {
  stop_ web
  pg_start
  pg_reset unleash
  run
}

"${1:?install|start|seed|reset|stop}"
