#!/usr/bin/env python3
"""The CSV of reports through LibreOffice and back: no cell becomes a formula or a link, none is changed.

    python3 tools/spreadsheet.py FILE.csv...     needs soffice (package libreoffice-calc)

Texts are read as texts where they are quoted, which is an option of the import ("format quoted field as text"). A figure
comes back as the same number, without the noughts at its end.
"""

import csv
import decimal
import os
import re
import subprocess
import sys
import tempfile

IMPORT = "CSV:44,34,76,1,,2057,true,false"
EXPORT = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false"


def convert(path, folder, kind, *options):
    profile = "-env:UserInstallation=file://" + os.path.join(folder, "profile")
    command = ["soffice", profile, "--headless", *options, "--convert-to", kind, "--outdir", folder, path]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    name = os.path.splitext(os.path.basename(path))[0]
    return os.path.join(folder, name + "." + kind.split(":")[0])


def records(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


def is_same(one, other):
    if one == other:
        return True
    is_number = all(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) for text in (one, other))
    return is_number and decimal.Decimal(one) == decimal.Decimal(other)


def check(path):
    with tempfile.TemporaryDirectory() as folder:
        sheet = convert(path, folder, "fods", "--infilter=" + IMPORT)
        with open(sheet, encoding="utf-8") as file:
            text = file.read()
        faults = re.findall(r"table:formula=[^ ]*|<text:a [^>]*>", text)
        before, after = records(path), records(convert(sheet, folder, EXPORT))
    if len(before) != len(after):
        faults.append(f"{len(before)} rows became {len(after)}")
    for number, (one, other) in enumerate(zip(before, after), 1):
        faults += [f"row {number}: {a!r} became {b!r}" for a, b in zip(one, other) if not is_same(a, b)]
        if len(one) != len(other):
            faults.append(f"row {number}: {len(one)} cells became {len(other)}")
    cells = sum(map(len, before))
    print(f"{os.path.basename(path)}: {len(before)} rows, {cells} cells, {len(faults)} faults")
    for fault in faults:
        print("   ", fault)
    return not faults


if __name__ == "__main__":
    sys.exit(0 if all([check(path) for path in sys.argv[1:]]) else 1)
