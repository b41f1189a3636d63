#!/bin/sh
# Creates the user and reloads the units, if systemd is running.
set -e
if [ -d /run/systemd/system ]; then
  systemd-sysusers twibase.conf
  systemctl daemon-reload
fi
