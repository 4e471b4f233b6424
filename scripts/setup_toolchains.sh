#!/bin/sh
# Make sure that the host has the toolchains that the local sandbox builds with: Node with npm, and Go. Safe to run again.
#
#   sudo scripts/setup_toolchains.sh
#
# Installs what is missing on Debian or Ubuntu as root; elsewhere says what to install. The Docker sandbox needs none of it.
set -eu

say() { printf 'setup_toolchains: %s\n' "$*" >&2; }

missing=""
command -v node >/dev/null || missing="nodejs"
command -v npm >/dev/null || missing="$missing npm"
command -v go >/dev/null || missing="$missing golang-go"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    say "missing on this machine: $missing (Debian and Ubuntu: sudo apt-get install $missing)"
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086 # one word a package
apt-get install -y -q --no-install-recommends $missing
