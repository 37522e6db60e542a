#!/usr/bin/env bash
# RabbitMQ's management UI of Debian's rabbitmq-server 3.10. console.sh install|start|seed|reset|stop|log
#
# A node of its own: own name, ports, cookie and epmd, so that it does not meet another one of the machine. Its record is
# made of the event exchange and of the HTTP access log (record.py).
DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../common.sh
. "$DIR/../common.sh"
HERE=$BASE/rabbitmq
mkdir -p "$HERE"
PORT=${PORT:-15692}
USER_=admin PASSWORD_='Field-console-1'
BIN=/usr/lib/rabbitmq/bin
export HOME=$HERE RABBITMQ_NODENAME=field@localhost RABBITMQ_CONF_ENV_FILE=$HERE/none
export RABBITMQ_CONFIG_FILE=$HERE/rabbitmq.conf RABBITMQ_ENABLED_PLUGINS_FILE=$HERE/enabled_plugins
export RABBITMQ_MNESIA_BASE=$HERE/mnesia RABBITMQ_LOG_BASE=$HERE/log RABBITMQ_PID_FILE=$HERE/server.erlpid
export RABBITMQ_DIST_PORT=25692 ERL_EPMD_PORT=14692 ERL_EPMD_ADDRESS=127.0.0.1
export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1}'

# api METHOD PATH [JSON]
api() {
  curl -sS -f -m 30 -u "$USER_:$PASSWORD_" -H 'Content-Type: application/json' -X "$1" \
    "http://127.0.0.1:$PORT/api$2" ${3:+-d "$3"}
}

install() { apt_ rabbitmq-server curl python3; }

create() {
  mkdir -p "$HERE"/{mnesia,log,http}
  : >"$HERE/none"
  local plugins=rabbitmq_management,rabbitmq_event_exchange,rabbitmq_shovel_management,rabbitmq_federation_management
  echo "[$plugins]." >"$HERE/enabled_plugins"
  cat >"$HERE/rabbitmq.conf" <<CONF
listeners.tcp.local = 127.0.0.1:25672
management.tcp.ip = 127.0.0.1
management.tcp.port = $PORT
management.http_log_dir = $HERE/http
default_user = $USER_
default_pass = $PASSWORD_
event_exchange.vhost = /
log.file.level = info
CONF
}

start() {
  [ -d "$HERE/mnesia/field@localhost" ] || create
  start_ epmd epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1
  start_ server "$BIN/rabbitmq-server"
  wait_http "http://127.0.0.1:$PORT/" 120 server
  local until=$(($(date +%s) + 60))
  until api GET /overview >/dev/null 2>&1; do
    [ "$(date +%s)" -lt "$until" ] || { echo "the API does not answer: $HERE/log" >&2; return 1; }
    sleep 0.5
  done
  [ "$(api GET /vhosts | grep -c '"shop"')" != 0 ] || seed
}

seed() {
  local all='{"configure":".*","write":".*","read":".*"}'
  api PUT /vhosts/shop '{}'
  api PUT /permissions/shop/$USER_ "$all"
  api PUT /users/intern "{\"password\":\"$PASSWORD_\",\"tags\":\"management\"}"
  api PUT /queues/shop/orders '{"durable":true}'
  api PUT /queues/shop/returns '{"durable":true}'
  api PUT /exchanges/shop/sales '{"type":"topic","durable":true}'
  # The record: every event that is of a person's doing, none of those that each request makes.
  local key
  api PUT /queues/%2F/field-audit '{"durable":true}'
  for key in 'queue.*' 'exchange.*' 'policy.*' 'parameter.*' 'permission.*' 'topic.permission.*' 'vhost.#' \
    user.created user.deleted 'user.password.*' 'user.tags.*' 'user.limits.*' 'binding.*'; do
    api POST /bindings/%2F/e/amq.rabbitmq.event/q/field-audit "{\"routing_key\":\"$key\"}" >/dev/null
  done
}

stop() {
  [ ! -f "$HERE/server.pid" ] || timeout 60 "$BIN/rabbitmqctl" -q shutdown >/dev/null 2>&1 || true
  stop_ server
  stop_ epmd
}

reset() {
  stop
  rm -rf "$HERE/mnesia" "$HERE/log" "$HERE/http"
  start
}

log() {
  exec nice -n "$NICE" python3 "$DIR/record.py" --address "127.0.0.1:$PORT" --user "$USER_:$PASSWORD_" \
    --requests "$HERE/http" --into "$FIELD_LOG"
}

"${1:?install|start|seed|reset|stop|log}"
