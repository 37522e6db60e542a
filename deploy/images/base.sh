#!/bin/sh
# Makes a base image of Debian packages, for where none can be pulled: `deploy/images/base.sh proofwalk-base:bookworm [PACKAGE …]`, as root.
#
# Needs mmdebstrap, and the engine of DOCKER_HOST. The mirror is mmdebstrap's own choice, or what MMDEBSTRAP_SOURCES names: an address, or a file in the
# format of sources.list; MMDEBSTRAP_FLAGS are further arguments. With SOURCE_DATE_EPOCH set, the same packages give the same archive.
set -eu
suite=bookworm
docker=${DOCKER:-docker}
if [ $# -eq 0 ]; then
  echo "usage: $0 NAME:TAG [PACKAGE …]" >&2
  exit 2
fi
for program in mmdebstrap "$docker"; do
  command -v "$program" >/dev/null || { echo "There is no $program: install it" >&2; exit 1; }
done
"$docker" version >/dev/null 2>&1 || { echo "No Docker engine answers at ${DOCKER_HOST:-its usual socket}: start one, or set DOCKER_HOST" >&2; exit 1; }
name=$1
shift
packages=python3,python3-venv,ca-certificates
for package in "$@"; do packages=$packages,$package; done
archive=$(mktemp --suffix=.tar)
trap 'rm -f "$archive"' EXIT
# Manuals and translations are left out; copyright files stay, as licences ask.
# shellcheck disable=SC2086  # flags are words
mmdebstrap --quiet --variant=minbase --include="$packages" \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  ${MMDEBSTRAP_FLAGS:-} "$suite" "$archive" ${MMDEBSTRAP_SOURCES:+"$MMDEBSTRAP_SOURCES"}
"$docker" import "$archive" "$name" >/dev/null
"$docker" image inspect --format '{{index .RepoTags 0}}: {{.Size}} bytes' "$name"
