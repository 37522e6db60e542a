#!/bin/sh
# What the official image's entry point does for POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD_FILE and PGDATA.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  # Nobody else reaches the server while it is prepared.
  pg_ctl --pgdata="$PGDATA" --wait --options="-c listen_addresses=''" start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --pgdata="$PGDATA" --wait --mode=fast stop
fi
exec postgres -D "$PGDATA" -c listen_addresses='*'
