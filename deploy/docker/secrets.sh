#!/usr/bin/env bash
# Writes the keys and passwords of this installation into .env beside docker-compose.yml; those that are there stay.
set -euo pipefail
umask 077
file="$(cd "$(dirname "$0")/../.." && pwd)/.env"
touch "$file"

add() {
  grep -q "^$1=" "$file" || echo "$1=$2" >>"$file"
}
key() { openssl rand -base64 32; }
word() { openssl rand -hex 24; }

add MASTER_KEY "$(key)"
add ID_SECRET "$(key)"
add OPERATOR_TOKEN "$(word)"
add BROKER_PASSWORD "$(word)"
add STORE_PASSWORD "$(word)"
add STORE_KEY_FILE "$(word)$(word)"
echo "Keys and passwords are in $file. Keep a copy: without them the stored credentials cannot be opened."
