#!/usr/bin/env bash
# The Ceph Dashboard of Debian's ceph 16.2. console.sh install|start|seed|reset|stop|log
#
# One monitor, one manager, two OSDs in memory, one object gateway, all as this user on the loopback. An OSD in memory
# forgets with its process, so that a start is a new cluster; `reset` takes back what is not the seed's (restore.py).
# Its record is made of the manager's log (record.py).
DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../common.sh
. "$DIR/../common.sh"
HERE=$BASE/ceph
mkdir -p "$HERE"
PORT=${PORT:-18443} MON_PORT=${MON_PORT:-13300} MON_PORT_V1=${MON_PORT_V1:-16789} RGW_PORT=${RGW_PORT:-17480}
PARTS='rgw osd0 osd1 mgr mon'
PYTHON=/usr/bin/python3 # Debian's, which has Ceph's modules
export CEPH_CONF=$HERE/ceph.conf PYTHONDONTWRITEBYTECODE=1

# within SECONDS COMMAND…: until it works.
within() {
  local until=$(($(date +%s) + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -lt "$until" ] || { echo "no success: $*" >&2; return 1; }
    sleep 0.5
  done
}

install() { apt_ ceph-mon ceph-mgr ceph-osd ceph-mgr-dashboard radosgw curl python3-bcrypt uuid-runtime; }

configure() {
  mkdir -p "$HERE"/{run,log,mon,mgr,osd,rgw}
  cat >"$CEPH_CONF" <<CONF
[global]
fsid = $(uuidgen)
mon initial members = a
mon host = [v2:127.0.0.1:$MON_PORT,v1:127.0.0.1:$MON_PORT_V1]
public network = 127.0.0.0/8
keyring = $HERE/\$name.keyring
run dir = $HERE/run
admin socket = $HERE/run/\$name.asok
pid file = $HERE/run/\$name.pid
log file = $HERE/log/\$name.log
crash dir = $HERE/run
osd pool default size = 2
osd pool default min size = 1
osd crush chooseleaf type = 0
osd pool default pg num = 8
osd pool default pg autoscale mode = off
mon max pg per osd = 2000
auth allow insecure global id reclaim = false
ms bind ipv6 = false
[mon]
mon data = $HERE/mon
mon data avail warn = 1
mon data avail crit = 1
mon cluster log to file = false
[mgr]
mgr data = $HERE/mgr
mgr initial modules =
[osd]
osd data = $HERE/osd/\$id
osd objectstore = memstore
memstore device bytes = 4294967296
osd memory target = 939524096
[client.rgw.a]
rgw data = $HERE/rgw
rgw frontends = beast endpoint=127.0.0.1:$RGW_PORT
rgw enable usage log = false
CONF
}

monitor() {
  local all=(--cap mon 'allow *' --cap osd 'allow *' --cap mds 'allow *' --cap mgr 'allow *')
  ceph-authtool --create-keyring "$HERE/mon.a.keyring" --gen-key -n mon. --cap mon 'allow *' >/dev/null
  ceph-authtool --create-keyring "$HERE/client.admin.keyring" --gen-key -n client.admin "${all[@]}" >/dev/null
  ceph-authtool "$HERE/mon.a.keyring" --import-keyring "$HERE/client.admin.keyring" >/dev/null
  monmaptool --create --clobber --addv a "[v2:127.0.0.1:$MON_PORT,v1:127.0.0.1:$MON_PORT_V1]" \
    --fsid "$(sed -n 's/^fsid = //p' "$CEPH_CONF")" "$HERE/monmap" >/dev/null
  ceph-mon --mkfs -i a --monmap "$HERE/monmap" --keyring "$HERE/mon.a.keyring"
  start_ mon ceph-mon -f -i a
  within 60 ceph -s
  ceph mon enable-msgr2
}

osds() {
  local id uuid
  for id in 0 1; do
    uuid=$(uuidgen)
    mkdir -p "$HERE/osd/$id"
    ceph osd new "$uuid" >/dev/null
    ceph auth get-or-create "osd.$id" mon 'allow profile osd' mgr 'allow profile osd' osd 'allow *' \
      -o "$HERE/osd.$id.keyring"
    ceph-osd -i $id --mkfs --osd-uuid "$uuid" >/dev/null 2>&1
    start_ osd$id ceph-osd -f -i $id
  done
}

# The users are there before the dashboard is, so that the token in target.yaml is older than none of them.
dashboard() {
  ceph auth get-or-create mgr.x mon 'allow profile mgr' osd 'allow *' mds 'allow *' -o "$HERE/mgr.x.keyring"
  ceph mgr module disable restful # it does not start beside the dashboard: one PyO3 module a process
  ceph config set mon mon_allow_pool_delete true
  ceph config set mgr mgr/dashboard/ssl false --force
  ceph config set mgr mgr/dashboard/server_addr 127.0.0.1 --force
  ceph config set mgr mgr/dashboard/server_port "$PORT" --force
  ceph config set mgr mgr/dashboard/AUDIT_API_ENABLED true --force
  ceph config set mgr mgr/dashboard/AUDIT_API_LOG_PAYLOAD true --force
  ceph config set mgr mgr/telemetry/enabled false --force
  "$PYTHON" "$DIR/restore.py" users >"$HERE/users.json"
  ceph config-key set mgr/dashboard/accessdb_v2 -i "$HERE/users.json" >/dev/null
  ceph config-key set mgr/dashboard/jwt_secret field-field-field-field-field-field-field >/dev/null
  start_ mgr ceph-mgr -f -i x
}

gateway() {
  local user=$HERE/rgw-user.json
  ceph auth get-or-create client.rgw.a mon 'allow rw' osd 'allow rwx' -o "$HERE/client.rgw.a.keyring"
  start_ rgw radosgw -f -n client.rgw.a
  wait_http "http://127.0.0.1:$RGW_PORT/" 120
  radosgw-admin -n client.admin user create --uid=dashboard --display-name=dashboard --system >"$user" 2>/dev/null
  "$PYTHON" - "$user" access_key <<<"$KEY_OF" >"$HERE/rgw-access"
  "$PYTHON" - "$user" secret_key <<<"$KEY_OF" >"$HERE/rgw-secret"
  ceph dashboard set-rgw-api-access-key -i "$HERE/rgw-access" >/dev/null
  ceph dashboard set-rgw-api-secret-key -i "$HERE/rgw-secret" >/dev/null
}
KEY_OF='import json, sys; print(json.load(open(sys.argv[1]))["keys"][0][sys.argv[2]], end="")'

start() {
  rm -rf "${HERE:?}"/{mon,mgr,osd,rgw,run,log} "$HERE"/*.keyring "$HERE/seed.json"
  configure
  monitor
  dashboard
  osds
  within 60 sh -c "ceph mgr stat | grep -q '\"available\": true'"
  ceph mgr module enable dashboard
  gateway
  wait_http "http://127.0.0.1:$PORT/" 120 mgr
  seed
}

seed() {
  nice_ "$PYTHON" "$DIR/restore.py" seed --conf "$CEPH_CONF" --url "http://127.0.0.1:$PORT" --kept "$HERE/seed.json"
}

reset() { seed; }

stop() {
  local part
  for part in $PARTS; do stop_ "$part"; done
}

log() { exec nice -n "$NICE" "$PYTHON" "$DIR/record.py" --log "$HERE/log/mgr.x.log" --into "$FIELD_LOG"; }

"${1:?install|start|seed|reset|stop|log}"
