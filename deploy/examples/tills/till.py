"""Posts a receipt with Python's standard library. Usage: TOKEN=... python3 till.py [base URL]"""
import datetime, json, os, sys, time, urllib.error, urllib.request

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
number = f"PYTHON-{time.time_ns()}"
headers = {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"}
receipt = {
    "transaction_id": number,
    "localtime": datetime.datetime.now().isoformat(timespec="seconds"),
    "store_reference": 1,
    "total": 4.80,
    "items": [{"name": "Espresso", "quantity": 2, "total": 4.80}],
    "payments": [{"method": "cash", "amount": 4.80}],
}
# The key makes retries safe: the receipt is stored once, and each response is the same.
request = urllib.request.Request(f"{url}/receipts", json.dumps(receipt).encode(), headers | {"Idempotency-Key": number})
pause = 1
while True:
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            sys.exit(print(answer.status, answer.read().decode()))
    except urllib.error.HTTPError as error:
        if error.code != 429 and error.code < 500:
            sys.exit(f"{error.code} {error.read().decode()}")
        pause = int(error.headers.get("Retry-After", pause))
    except urllib.error.URLError:
        pass
    time.sleep(pause)
    pause = min(pause * 2, 60)
