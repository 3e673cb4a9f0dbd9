#!/bin/sh
# Posts a receipt with curl. Usage: TOKEN=... sh till.sh [base URL]
# The idempotency key makes retries safe, so curl may retry until the platform responds.
url=${1:-http://127.0.0.1:8080}
number="CURL-$(date +%s)-$$"

curl --fail-with-body --silent --show-error --retry 10 --retry-connrefused \
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -H "Idempotency-Key: $number" \
  -d "{
    \"transaction_id\": \"$number\",
    \"localtime\": \"$(date +%Y-%m-%dT%H:%M:%S)\",
    \"store_reference\": 1,
    \"total\": 4.80,
    \"items\": [{ \"name\": \"Espresso\", \"quantity\": 2, \"total\": 4.80 }],
    \"payments\": [{ \"method\": \"cash\", \"amount\": 4.80 }]
  }" "$url/receipts"
