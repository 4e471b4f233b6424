#!/bin/sh
# Install and start a Docker engine on Debian or Ubuntu. Safe to run again: what is there is left as it is.
#
#   sudo scripts/setup_docker.sh
#
# Installs docker.io (and docker-cli, where the distribution has it apart) and debootstrap, starts the daemon with systemd where that runs
# and else in the background, and waits until it answers. Nothing else is changed.
set -eu

answers() { docker version --format '{{.Server.Version}}' 2>/dev/null; }

running() { grep -qsx "$1" /proc/[0-9]*/comm; }

say() { printf 'setup_docker: %s\n' "$*" >&2; }

if [ "$(id -u)" -ne 0 ]; then
    if version=$(answers); then
        say "Docker $version answers already; nothing to do"
        exit 0
    fi
    say "installing Docker needs root: run 'sudo $0', or do without Docker (sandbox.backend=local)"
    exit 1
fi

missing=""
command -v dockerd >/dev/null || missing="docker.io"
command -v debootstrap >/dev/null || missing="$missing debootstrap"
if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null; then
        say "this is neither Debian nor Ubuntu: install Docker as its documentation says, or do without (sandbox.backend=local)"
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    # From Debian 13 on the client is a package of its own.
    if [ "${missing#docker.io}" != "$missing" ] && ! command -v docker >/dev/null && apt-cache show docker-cli >/dev/null 2>&1; then
        missing="$missing docker-cli"
    fi
    # An init system other than systemd may leave the cgroups unmounted, which this package mends.
    [ -d /run/systemd/system ] || missing="$missing cgroupfs-mount"
    # shellcheck disable=SC2086 # one word a package
    apt-get install -y -q --no-install-recommends $missing iptables ca-certificates xz-utils
fi

if ! answers >/dev/null; then
    if [ -d /run/systemd/system ]; then
        systemctl start docker
    else
        log=/var/log/dockerd.log
        # A daemon that was killed leaves the numbers of its processes behind, and the next one takes whoever has them now for them.
        running dockerd || rm -f /run/docker.pid
        running containerd || rm -f /run/docker/containerd/containerd.pid /run/docker/containerd/containerd.sock*
        say "no systemd here: starting dockerd in the background, its log is $log"
        setsid nohup dockerd >"$log" 2>&1 </dev/null &
    fi
fi

tries=0
until version=$(answers); do
    tries=$((tries + 1))
    if [ "$tries" -ge 120 ]; then
        say "the daemon does not answer after a minute; its last words:"
        tail -n 5 /var/log/dockerd.log >&2 2>/dev/null || journalctl -u docker -n 5 --no-pager >&2 || true
        exit 1
    fi
    sleep 0.5
done
say "Docker $version answers"
