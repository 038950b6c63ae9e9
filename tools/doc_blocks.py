#!/usr/bin/env python3
"""Runs every `sh` block of README.md and docs/*.md in bash and in zsh, as a reader would paste them.

The blocks of one page run in their order in one shell, with a key in KEY, against a fresh server on loopback; the addresses the
page names are replaced by those of that server. A page fails when a block ends with an error, when `curl` is answered with 400 or
more, or when a block holds a comment, because an interactive zsh takes `# text` behind a command for arguments.

A comment on the line before a block says what differs:
    <!-- not run: reason -->   the block starts servers, installs or measures
    <!-- refused: reason -->   the block shows a refusal, so answers of 400 or more are what it is about

Python's standard library, curl, bash and zsh are all it needs:
    cargo build && python3 tools/doc_blocks.py
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHELLS = {"bash": ["bash", "--norc", "--noprofile"], "zsh": ["zsh", "-f"]}
START_MAX_S = 60
PAGE_MAX_S = 120
SCOPES = ["reconcile:read", "reconcile:write", "coding:read", "coding:write", "books:read", "books:write"]
PUBLIC = re.compile(r"(?:http://)?(?:localhost|127\.0\.0\.1):8080")
OPERATORS = re.compile(r"(?:http://)?(?:localhost|127\.0\.0\.1):9464")
MARK = re.compile(r"<!--\s*(not run|refused)\s*:?\s*(.*?)\s*-->$")
COMMENT = re.compile(r"(?:^|\s)#(?:\s|$)", re.MULTILINE)
# Stands before the real curl: an answer of 400 or more is an error, and is written down even where a pipe hides it.
CURL = """#!/bin/sh
{curl} --fail-with-body "$@"
code=$?
if [ $code != 0 ]; then
  for argument in "$@"; do case $argument in http*) url=$argument ;; esac; done
  printf 'block at line %s: curl ended with %s: %.200s\\n' "$(cat "$DOC_AT")" $code "$url" >> "$DOC_FAILURES"
fi
exit $code
"""


@dataclasses.dataclass
class Block:
    """A block of a page: the line its fence is on, its text, and what a comment says of it."""

    line: int
    text: str
    mark: str = ""


def read_blocks(path: pathlib.Path) -> tuple[list[Block], list[str]]:
    """The `sh` blocks of a page, and what is wrong with how they are written."""
    blocks, problems = [], []
    fence, mark, body = None, None, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if fence is None and text.startswith("```"):
            fence = (number, text.removeprefix("```").strip())
            body = []
            if mark and fence[1] != "sh":
                problems.append(f"{path.name}:{mark[0]}: no sh block follows this comment")
        elif fence is not None and text == "```":
            if fence[1] == "sh":
                blocks.append(Block(fence[0], "\n".join(body) + "\n", mark[1] if mark else ""))
            fence, mark = None, None
        elif fence is not None:
            body.append(line)
        elif found := MARK.match(text):
            mark = (number, found[1])
            if not found[2]:
                problems.append(f"{path.name}:{number}: `{found[1]}` needs a reason")
        elif mark and text:
            problems.append(f"{path.name}:{mark[0]}: no sh block follows this comment")
            mark = None
    if fence is not None:
        problems.append(f"{path.name}:{fence[0]}: the block does not end")
    for block in blocks:
        if COMMENT.search(block.text):
            problems.append(f"{path.name}:{block.line}: an interactive zsh takes the comment in this block for arguments")
    return blocks, problems


class Server:
    """A server of its own with a key, in a temporary folder."""

    def __init__(self, binary: pathlib.Path, folder: pathlib.Path):
        self.binary, self.folder = binary, folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BOOKKEEPING_")}
        self.environment["BOOKKEEPING_DATA_DIR"] = str(folder / "data")
        self.run("user", "add", "--email", "reader@example.com")
        # The first ids belong to somebody else, so that a page that takes them for granted fails.
        self.run("user", "add", "--email", "other@example.com")
        self.run("organisation", "add", "--email", "other@example.com", "--name", "Elsewhere Ltd")
        arguments = [binary, "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(
            arguments, cwd=folder, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self.said, self.addresses = [], None
        self.started = threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()
        if not self.started.wait(START_MAX_S) or self.addresses is None:
            self.stop()
            raise SystemExit("the server does not start:\n" + "".join(self.said))
        self.key = self.make_key(self.run("user", "session", "--email", "reader@example.com").strip())

    def run(self, *arguments: str) -> str:
        """What a command of the program prints."""
        done = subprocess.run(
            [self.binary, *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=START_MAX_S
        )
        if done.returncode != 0:
            raise SystemExit(f"{arguments} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def listen(self) -> None:
        """Reads what the server says, so that it never waits for a reader, and finds its addresses in it."""
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"serves (http://[^\s\"]+) and, for operators, (http://[^\s\"]+)", line):
                self.addresses = found.groups()
                self.started.set()
        self.started.set()

    def make_key(self, session: str) -> str:
        """A key with the scopes the pages speak of."""
        body = json.dumps({"name": "pages", "scopes": SCOPES}).encode()
        headers = {"Authorization": f"Bearer {session}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.addresses[0] + "/api/v1/keys", data=body, headers=headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=START_MAX_S) as answer:
            return json.load(answer)["key"]

    def stop(self) -> None:
        """Ends the server."""
        self.process.terminate()
        try:
            self.process.wait(START_MAX_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def script_of(blocks: list[Block], addresses: tuple[str, str]) -> str:
    """The blocks as one script that notes which of them it is at."""
    parts = []
    for block in blocks:
        text = OPERATORS.sub(addresses[1], PUBLIC.sub(addresses[0], block.text))
        errors = "set +e" if block.mark == "refused" else "set -e"
        parts.append(f"printf '%s' {block.line} > \"$DOC_AT\"\n{errors}\n{text}")
    return "set -u\n" + "\n".join(parts)


def run_page(path: pathlib.Path, blocks: list[Block], shell: str, binary: pathlib.Path) -> list[str]:
    """What went wrong with a page in a shell."""
    with tempfile.TemporaryDirectory(prefix="bookkeeping-pages-") as name, contextlib.ExitStack() as after:
        folder = pathlib.Path(name)
        server = Server(binary, folder)
        after.callback(server.stop)
        (folder / "bin").mkdir()
        curl = folder / "bin" / "curl"
        curl.write_text(CURL.format(curl=shutil.which("curl")), encoding="utf-8")
        curl.chmod(0o755)
        at, failures, script = folder / "at", folder / "failures", folder / "script"
        failures.touch()
        script.write_text(script_of(blocks, server.addresses), encoding="utf-8")
        environment = {
            **server.environment,
            "KEY": server.key,
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "DOC_AT": str(at),
            "DOC_FAILURES": str(failures),
            "HOME": name,
            "TMPDIR": name,
            "NO_PROXY": "*",
        }
        # A group of its own, so that what a block leaves behind ends with it.
        process = subprocess.Popen(
            [*SHELLS[shell], str(script)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=PAGE_MAX_S)
            ended = f"ended with {process.returncode}" if process.returncode else ""
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            ended = f"was not done after {PAGE_MAX_S} s"
        line = at.read_text(encoding="utf-8") if at.exists() else "?"
        refused = {str(block.line) for block in blocks if block.mark == "refused"}
        problems = [
            f"{path.name} in {shell}, {failure}"
            for failure in failures.read_text(encoding="utf-8").splitlines()
            if not any(failure.startswith(f"block at line {known}:") for known in refused)
        ]
        if ended and line not in refused:
            problems.append(f"{path.name} in {shell}, block at line {line} {ended}; the last it said:\n{output[-2000:]}")
        return problems


def main() -> int:
    """Runs the pages given, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/debug/bookkeeping", help="the built program")
    parser.add_argument("--shell", choices=sorted(SHELLS), action="append", help="only this shell")
    parser.add_argument("pages", type=pathlib.Path, nargs="*", help="pages [default: README.md and docs/*.md]")
    options = parser.parse_args()
    binary = options.binary.resolve()
    shells = options.shell or list(SHELLS)
    missing = [name for name in [*shells, "curl", binary] if shutil.which(name) is None]
    if missing:
        print(f"not found: {', '.join(map(str, missing))}", file=sys.stderr)
        return 2
    problems, ran = [], 0
    for path in options.pages or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        blocks, found = read_blocks(path)
        problems += found
        runnable = [block for block in blocks if block.mark != "not run"]
        for shell in shells if runnable else []:
            began = time.monotonic()
            problems += run_page(path, runnable, shell, binary)
            ran += len(runnable)
            print(f"{path.name}: {len(runnable)} of {len(blocks)} blocks in {shell} ({time.monotonic() - began:.1f} s)")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{ran} blocks ran, {len(problems)} problems")
    return 1 if problems or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
