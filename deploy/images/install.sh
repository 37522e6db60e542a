#!/bin/sh
# Installs packages below a prefix, for one layer of an image. Runs in a build of deploy/images/Dockerfile.
#
#   install.sh SET PREFIX            the packages of requirements/SET.txt
#   install.sh --wheel CONTEXT PREFIX    our own code, as a wheel
#   install.sh --date PREFIX         gives everything below a prefix the build's date
#
# pip resolves nothing: each file names every package with its version and its files' digests. Only torch has none: each index has files of its own.
# Byte code is written here, since a root that is read-only takes none later, and
# is checked by hash, so that it does not depend on when files were written. SOURCE_DATE_EPOCH is every file's date.
set -eu
python=/opt/pip/bin/python
venv=/opt/proofwalk/bin/python
tools=/opt/build
here=$(dirname "$0")

date_all() { find "$1" -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH}" {} +; }

if [ "$1" = --date ]; then
  date_all "$2"
  exit
fi

if [ -f /run/secrets/ca ]; then export PIP_CERT=/run/secrets/ca; fi

# What makes wheels is found beside the environment, and so is in no image.
add() {
  PYTHONPATH=$(echo "$tools"/lib/python3*/site-packages) "$python" -m pip --quiet --disable-pip-version-check \
    --python "$venv" install --root-user-action=ignore --no-deps --no-compile --ignore-installed --no-warn-script-location --prefix "$@"
}

if [ "$1" = --wheel ]; then
  prefix=$3
  copy=$(mktemp -d)
  cp -r "$2"/libs "$2"/services "$2"/pyproject.toml "$2"/README.md "$copy"
  add "$prefix" --no-build-isolation "$copy"
  # It says where the wheel was made, which is nobody's business.
  find "$prefix" -name direct_url.json -delete
  rm -rf "$copy"
elif [ "$1" = learning ]; then
  prefix=$2
  list=$(mktemp)
  sed '/^torch==/d' "$here/requirements/learning.txt" > "$list"
  torch=$(sed -n "s/^\(torch==[^ ]*\)$/\1+${TORCH_VARIANT}/p" "$here/requirements/learning.txt")
  add "$prefix" --no-build-isolation --require-hashes --requirement "$list"
  add "$prefix" --find-links "$here/wheels" ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} "$torch"
  if [ "$TORCH_VARIANT" != cpu ]; then
    # A build for GPUs needs libraries that the list, which is of the build for processors, does not have. It names their versions itself.
    PYTHONPATH=$(echo "$prefix"/lib/python3*/site-packages) "$python" -m pip --quiet --disable-pip-version-check --python "$venv" \
      install --root-user-action=ignore --no-compile --no-warn-script-location --find-links "$here/wheels" \
      ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} --prefix "$prefix" "$torch"
  fi
elif [ "$1" = build ]; then
  prefix=$2
  add "$prefix" --require-hashes --requirement "$here/requirements/build.txt"
  exit
else
  prefix=$2
  add "$prefix" --no-build-isolation --require-hashes --requirement "$here/requirements/$1.txt"
fi

mkdir -p "$prefix/lib"
# Some packages ship files for other versions of Python, which do not compile and are never imported.
"$venv" -m compileall -qq -j 0 --invalidation-mode unchecked-hash -s "$prefix" -p /opt/proofwalk "$prefix/lib" || true
date_all "$prefix"
