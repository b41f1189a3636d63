#!/bin/sh
# Makes the user, and tells systemd of the unit, if systemd runs here.
set -e
if [ -d /run/systemd/system ]; then
  systemd-sysusers twibase.conf
  systemctl daemon-reload
fi
