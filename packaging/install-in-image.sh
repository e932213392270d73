#!/bin/sh
# install-in-image.sh FOLDER: what packaging/Dockerfile does in a bare Debian 12. FOLDER has the package conch, as
# `./dev package` makes it. The user conch and its state directory are there afterwards.
set -eu
folder=$1
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install -y --no-install-recommends "$folder"/conch_*.deb
rm -rf /var/lib/apt/lists/*
install -d -o conch -g conch -m 0700 /var/lib/conch
