#!/usr/bin/env bash
# Directus 9.22 of npm (Vue 3). console.sh install|start|seed|reset|stop
#
# Its data and its record are in one SQLite file. Its documentation is a package of npm as well; install unpacks it into
# the console's own folder.
DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../common.sh
. "$DIR/../common.sh"
HERE=$BASE/directus
mkdir -p "$HERE"/{uploads,extensions,log}
VERSION=${VERSION:-9.22.4} DOCS_VERSION=${DOCS_VERSION:-9.22.3}
PASSWORD_='Field-console-1' TOKEN=field-token-00000000000000000000 FIELD_USER=f1e1d000-0000-4000-8000-000000000001
export HOST=127.0.0.1 PORT=${PORT:-18055}
URL=http://127.0.0.1:$PORT
export PUBLIC_URL=$URL KEY=field SECRET=field-secret-field-secret DB_CLIENT=sqlite3 DB_FILENAME=$HERE/data.db \
  ADMIN_EMAIL=keeper@example.com ADMIN_PASSWORD=$PASSWORD_ TELEMETRY=false CACHE_ENABLED=false \
  RATE_LIMITER_ENABLED=false STORAGE_LOCATIONS=local STORAGE_LOCAL_ROOT=$HERE/uploads EXTENSIONS_PATH=$HERE/extensions \
  LOG_LEVEL=info LOG_STYLE=raw EMAIL_TRANSPORT=sendmail EMAIL_SENDMAIL_PATH=$HERE/mail.sh NODE_ENV=production CONFIG_PATH=$HERE/none.env

# The image library of this version fetches its binaries from elsewhere; a later one brings them in packages. No package
# runs a script of its own: SQLite's and the password hash's bindings are compiled, against the machine's own headers.
install() {
  apt_ curl sqlite3 g++ make python3
  command -v npm >/dev/null || apt_ nodejs npm
  [ -f "$HERE/package.json" ] ||
    echo '{"name":"field-directus","private":true,"overrides":{"sharp":"0.33.5"}}' >"$HERE/package.json"
  local headers
  headers=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  if [ ! -d "$HERE/node_modules" ]; then
    (cd "$HERE" && nice_ npm install --no-audit --no-fund --ignore-scripts "directus@$VERSION" &&
      nice_ env npm_config_build_from_source=true npm_config_nodedir="$headers" npm rebuild sqlite3 argon2) ||
      { rm -rf "$HERE/node_modules"; return 1; }
  fi
  [ -d "$HERE/docs" ] || documents
}

documents() {
  local archive
  archive=$(cd "$HERE" && npm pack --silent "@directus/docs@$DOCS_VERSION")
  rm -rf "$HERE/package"
  tar -xzf "$HERE/$archive" -C "$HERE"
  rm "$HERE/$archive"
  mv "$HERE/package" "$HERE/docs"
}

directus() { (cd "$HERE" && nice_ node node_modules/directus/cli.js "$@"); }

# api METHOD PATH [JSON]
api() {
  curl -sS -f -m 30 -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -X "$1" "$URL$2" ${3:+-d "$3"}
}

# Letters go into a file. The log of requests has those that leave nothing in the activity log.
run() {
  : >"$HERE/none.env"
  printf '#!/bin/sh\ncat >>%q\n' "$HERE/log/mail" >"$HERE/mail.sh"
  chmod +x "$HERE/mail.sh"
  start_ web bash -c "cd '$HERE' && exec node node_modules/directus/cli.js start >>log/requests.jsonl"
  wait_http "$URL/server/ping" 120 web
}

start() {
  if [ ! -f "$HERE/seed.db" ]; then
    rm -f "$HERE"/data.db*
    : >"$HERE/none.env"
    directus bootstrap >"$HERE/log/bootstrap.log" 2>&1
    # What META's steps and the seed ask for is asked by the first user, with this token; the one who walks is another.
    sqlite3 "$HERE/data.db" "UPDATE directus_users SET token = '$TOKEN'"
    run
    seed
    stop
    cp "$HERE/data.db" "$HERE/seed.db"
  fi
  run
}

seed() {
  local articles pages action role=f1e1d000-0000-4000-8000-0000000000a1
  articles='{"collection":"articles","meta":{"icon":"article","note":"What we publish","archive_field":"status",
    "archive_value":"archived","unarchive_value":"draft","archive_app_filter":true},"schema":{},"fields":[
    {"field":"id","type":"integer","meta":{"hidden":true,"interface":"input","readonly":true},
     "schema":{"is_primary_key":true,"has_auto_increment":true}},
    {"field":"status","type":"string","meta":{"interface":"select-dropdown","width":"half","options":{"choices":[
      {"text":"Published","value":"published"},{"text":"Draft","value":"draft"},{"text":"Archived","value":"archived"}]}},
     "schema":{"default_value":"draft"}},
    {"field":"title","type":"string","meta":{"interface":"input"},"schema":{}},
    {"field":"body","type":"text","meta":{"interface":"input-multiline"},"schema":{}}]}'
  pages='{"collection":"pages","meta":{"icon":"description"},"schema":{},"fields":[
    {"field":"id","type":"integer","meta":{"hidden":true,"interface":"input","readonly":true},
     "schema":{"is_primary_key":true,"has_auto_increment":true}},
    {"field":"title","type":"string","meta":{"interface":"input"},"schema":{}}]}'
  {
    api POST /collections "$articles"
    api POST /collections "$pages"
    api POST /items/articles '[{"title":"Opening hours","body":"Nine to five.","status":"published"},
      {"title":"Returns","body":"Within thirty days.","status":"published"}]'
    api POST /items/pages '[{"title":"About us"}]'
    api POST /roles "{\"id\":\"$role\",\"name\":\"Editors\",\"app_access\":true,\"admin_access\":false}"
    for action in create read update delete; do
      api POST /permissions "{\"role\":\"$role\",\"collection\":\"articles\",\"action\":\"$action\",\"fields\":[\"*\"],
        \"permissions\":{},\"validation\":{}}"
    done
    api POST /users "{\"first_name\":\"Eva\",\"last_name\":\"Editor\",\"email\":\"editor@example.com\",
      \"password\":\"$PASSWORD_\",\"role\":\"$role\"}"
    api POST /users "{\"id\":\"$FIELD_USER\",\"first_name\":\"Ada\",\"last_name\":\"Admin\",
      \"email\":\"admin@example.com\",\"password\":\"$PASSWORD_\",\"role\":\"$(administrators)\"}"
    api POST /dashboards '{"name":"Sales","icon":"insights"}'
    api POST /folders '{"name":"Brochures"}'
  } >"$HERE/log/seed.log"
  sqlite3 "$HERE/data.db" 'DELETE FROM directus_revisions; DELETE FROM directus_activity'
}

administrators() { sqlite3 "$HERE/data.db" "SELECT id FROM directus_roles WHERE admin_access = 1 LIMIT 1"; }

stop() { stop_ web; }

# It keeps its schema in memory, so it is started anew.
reset() {
  stop
  rm -f "$HERE"/data.db*
  cp "$HERE/seed.db" "$HERE/data.db"
  run
}

"${1:?install|start|seed|reset|stop}"
