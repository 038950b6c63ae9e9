#!/usr/bin/env python3
"""Import cycles between the files of src/, by their `use` lines and `crate::` paths. `mod.rs` and `lib.rs` are looked
through, not counted; tests are left out.

    python3 tools/cycles.py            every cycle with its files and lines
    python3 tools/cycles.py --max 8    fails when a cycle has more than 8 files, or reaches into two folders of which
                                       neither lies in the other
"""

import argparse
import os
import re
import sys

ROOT = "src"
NAMES_SHOWN = 12


def is_source(path):
    name = os.path.basename(path)
    return name.endswith(".rs") and name not in ("main.rs", "tests.rs") and "tests" not in path.split(os.sep)


def read_modules():
    """The files by their module paths, and their texts without comments."""
    files = {}
    for folder, _, names in os.walk(ROOT):
        for name in names:
            path = os.path.join(folder, name)
            if is_source(path):
                module = tuple(path[len(ROOT) + 1 : -3].split(os.sep))
                files[module[:-1] if module[-1] in ("mod", "lib") else module] = path
    texts = {}
    for module, path in files.items():
        with open(path, encoding="utf-8") as file:
            texts[module] = re.sub(r"//[^\n]*", "", file.read())
    return files, texts


FILES, TEXTS = read_modules()
HUBS = {module for module, path in FILES.items() if path.endswith(("mod.rs", "lib.rs"))}


def expand(tree):
    """`a::{b, c::{d, e}}` as a list of paths."""
    tree = tree.strip()
    if "{" not in tree:
        return [[step.strip() for step in re.sub(r"\s+as\s+\w+", "", tree).split("::")]]
    head, body = tree.split("{", 1)
    body = body.rsplit("}", 1)[0]
    parts, depth, part = [], 0, ""
    for character in body:
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    parts.append(part)
    before = [step.strip() for step in head.split("::") if step.strip()]
    return [before + rest for part in parts if part.strip() for rest in expand(part)]


def imports(module):
    """The paths from the crate's root that a file names."""
    text = TEXTS[module]
    for use in re.finditer(r"\buse\s+([^;]+);", text):
        for path in expand(use.group(1)):
            if path[0] == "crate":
                base, path = (), path[1:]
            elif path[0] == "self":
                base, path = module, path[1:]
            elif path[0] == "super":
                base, path = module[:-1], path[1:]
                while path and path[0] == "super":
                    base, path = base[:-1], path[1:]
            else:
                continue
            yield tuple(base) + tuple(step for step in path if step != "self")
    for path in re.finditer(r"\bcrate((?:::\w+)+)", text):
        yield tuple(path.group(1)[2:].split("::"))


def owner(path):
    """The file that defines a path; through a hub's `pub use` to the file behind it."""
    for length in range(len(path), -1, -1):
        module = path[:length]
        if module not in FILES:
            continue
        if module in HUBS and length < len(path):
            for use in re.finditer(r"pub(?:\([^)]*\))?\s+use\s+([^;]+);", TEXTS[module]):
                for behind in expand(use.group(1)):
                    if behind[-1] == path[length]:
                        behind = [step for step in behind if step != "self"]
                        return owner(tuple(behind[1:]) if behind[0] == "crate" else module + tuple(behind))
        return module
    return None


def graph():
    edges = {}
    for module in FILES:
        if module not in HUBS:
            owners = {owner(path) for path in imports(module)}
            edges[module] = {other for other in owners if other and other != module and other not in HUBS}
    return edges


def cycles(edges):
    """Strongly connected files (Tarjan), the largest first."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(component)

    sys.setrecursionlimit(10_000)
    for node in list(edges):
        if node not in index:
            visit(node)
    return sorted(found, key=len, reverse=True)


def is_in_one_place(paths):
    """Whether of any two of the folders one lies in the other."""
    folders = sorted({os.path.dirname(path) + os.sep for path in paths}, key=len)
    return folders[0] != ROOT + os.sep and all(
        inner.startswith(outer) for outer, inner in zip(folders, folders[1:])
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max", type=int, help="files a cycle may have")
    limit = parser.parse_args().max
    found = cycles(graph())
    failures = []
    for component in found:
        paths = sorted(FILES[module] for module in component)
        lines = sum(TEXTS[module].count("\n") for module in component)
        more = " …" if len(paths) > NAMES_SHOWN else ""
        text = f"{len(paths)} files, {lines} lines: {', '.join(paths[:NAMES_SHOWN])}{more}"
        print(text)
        if limit is not None and len(paths) > limit:
            failures.append(f"more than {limit} files: {text}")
        if not is_in_one_place(paths):
            failures.append(f"over two folders: {text}")
    print(f"{len(found)} cycles, the largest of {len(found[0]) if found else 0} files")
    if limit is not None and failures:
        print("\n".join(["", *failures]), file=sys.stderr)
        sys.exit(1)


main()
