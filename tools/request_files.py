#!/usr/bin/env python3
"""Which files of this project one `POST .../sales-invoices` passes, counted by execution.

    cargo build && python3 tools/request_files.py            needs valgrind; takes about a minute

The debug program runs under callgrind. After it has been idle for a while its counters are written and begin anew; then one
invoice is posted and they are written again. A file counts when a function of it ran for the invoice and not while the
program was idle, or ran then at more than twice the rate at which it runs without requests.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(ROOT, "target", "debug", "bookkeeping")
IDLE_S, REQUEST_S = 20, 5
LISTEN, OPS = "127.0.0.1:18090", "127.0.0.1:19490"


def call(path, key, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://{LISTEN}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=300) as answer:
        answered = json.load(answer)
        return answered.get("data", answered)


def serve(environment, *before):
    process = subprocess.Popen([*before, PROGRAM, "serve"], env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"http://{OPS}/readyz", timeout=5):
                return process
        except OSError:
            time.sleep(0.5)
    process.terminate()
    sys.exit("the server did not answer /readyz")


def functions(path, known):
    """Costs by file of the project and function, from a file of callgrind."""
    names, costs = {}, collections.defaultdict(collections.Counter)
    here, function, is_call = None, None, False

    def resolved(text):
        match = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not match:
            return text
        if match.group(2):
            names[match.group(1), kind] = match.group(2)
        return names.get((match.group(1), kind), "?")

    for line in open(path, errors="replace"):
        line = line.rstrip("\n")
        head, _, rest = line.partition("=")
        if head in ("fl", "fi", "fe", "cfi", "cfl"):
            kind = "file"
            name = resolved(rest)
            here = name if head in ("fl", "fi", "fe") else here
        elif head in ("fn", "cfn"):
            kind = "function"
            name = resolved(rest)
            function = name if head == "fn" else function
        elif head == "calls":
            is_call = True
        elif re.match(r"[+\-*\d]", line):
            parts = line.split()
            file = os.path.relpath(os.path.join(ROOT, here), ROOT) if here else ""
            if file in known and len(parts) > 1 and not is_call:
                costs[file][function] += int(parts[1])
            elif file in known and len(parts) > 1:
                costs[file][function] += 0
            is_call = False
    return costs


def main():
    tracked = subprocess.check_output(["git", "-C", ROOT, "ls-files", "*.rs"], text=True).split()
    known = {file for file in tracked if file.startswith(("src/", "entity/", "migration/"))}
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, BOOKKEEPING_DATA_DIR=folder, BOOKKEEPING_LISTEN=LISTEN,
                           BOOKKEEPING_OPS_LISTEN=OPS)
        process = serve(environment)
        try:
            person = ["--email", "you@example.com"]
            subprocess.check_call([PROGRAM, "user", "add", *person], env=environment, stdout=subprocess.DEVNULL)
            session = subprocess.check_output([PROGRAM, "user", "session", *person], env=environment, text=True).strip()
            scopes = {"name": "files", "scopes": ["books:write", "books:read"]}
            key = call("/api/v1/keys", session, scopes)["key"]
            books = f"/api/v1/books/organisations/{call('/api/v1/books/organisations', key, {'name': 'Acme Ltd', 'vat_control': True})['id']}"
            customer = call(f"{books}/customers", key, {"name": "Brightwell School"})["id"]
        finally:
            process.terminate()
            process.wait()
        counters = os.path.join(folder, "callgrind")
        process = serve(environment, "valgrind", "--tool=callgrind", "--instr-atstart=no",
                        f"--callgrind-out-file={counters}")
        try:
            line = {"description": "Desk", "quantity": 1, "unit_price": 100, "vat_code": "ST", "account_code": "4000"}
            invoice = {"customer_id": customer, "invoice_date": "2026-04-01", "issue": True, "lines": [line]}
            call(f"{books}/sales-invoices", key, invoice)

            def control(*words):
                subprocess.check_call(["callgrind_control", *words, str(process.pid)], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)

            control("-i", "on")
            time.sleep(IDLE_S)
            control("-d", "idle")
            call(f"{books}/sales-invoices", key, invoice)
            time.sleep(REQUEST_S)
            control("-d", "invoice")
        finally:
            process.terminate()
            process.wait()
        idle, invoice = functions(f"{counters}.1", known), functions(f"{counters}.2", known)
    passed, without = [], []
    for file, costs in sorted(invoice.items()):
        rate = REQUEST_S / IDLE_S
        busy = file not in idle or any(cost > 2 * rate * idle[file][name] and cost > 0 for name, cost in costs.items())
        (passed if busy else without).append(file)
    print("\n".join(passed))
    folders = collections.Counter("/".join(file.split("/")[:2]) for file in passed)
    print(f"{len(passed)} files: " + ", ".join(f"{folder} {count}" for folder, count in sorted(folders.items())))
    print(f"{len(without)} more run whether or not anything is asked: " + ", ".join(without))


if __name__ == "__main__":
    main()
