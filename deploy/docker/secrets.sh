#!/usr/bin/env bash
# Writes the keys and passwords of this installation to .env next to docker-compose.yml; existing values are kept.
# Writes the broker's users with hashes of their passwords to .secrets/rabbitmq-definitions.json.
set -euo pipefail
umask 077
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
file="$root/.env"
touch "$file"

add() {
  grep -q "^$1=" "$file" || echo "$1=$2" >>"$file"
}
key() { openssl rand -base64 32; }
word() { openssl rand -hex 24; }
name() { echo "$1" | tr 'a-z-' 'A-Z_'; }

add MASTER_KEY "$(key)"
add ID_SECRET "$(key)"
add OPERATOR_TOKEN "$(word)"
add STORE_PASSWORD "$(word)"
add STORE_KEY_FILE "$(word)$(word)"
services="gateway ingest transform receipt-store delivery identifier admin"
for service in $services; do
  add "$(name "$service")_BROKER_PASSWORD" "$(word)"
  [ "$service" = gateway ] || add "$(name "$service")_STORE_PASSWORD" "$(word)"
done
add EXPORTER_STORE_PASSWORD "$(word)"

# RabbitMQ stores a password as four bytes of salt and the SHA-256 of the salt and the password.
hash() {
  salt="$(openssl rand -hex 4 | sed 's/../\\x&/g')"
  { printf "$salt"; { printf "$salt"; printf %s "$1"; } | openssl dgst -sha256 -binary; } | openssl base64 -A
}
mkdir -p "$root/.secrets"
definitions="$root/.secrets/rabbitmq-definitions.json"
text="$(cat "$here/rabbitmq-definitions.json")"
for service in $services; do
  password="$(sed -n "s/^$(name "$service")_BROKER_PASSWORD=//p" "$file")"
  marker="$(name "$service")_BROKER_HASH" hashed="$(hash "$password")"
  text="${text/$marker/$hashed}"
done
# A running container sees the file that it was started with, so that file is changed, not replaced.
printf '%s\n' "$text" >"$definitions"
# The broker runs as another user, so the file is readable by all users, but its folder is not.
chmod 644 "$definitions"
echo "Keys and passwords are in $file. Keep a copy: without them the stored credentials cannot be opened."
