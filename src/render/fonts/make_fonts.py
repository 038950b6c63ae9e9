"""Makes the two font files beside it from the Noto Sans of Debian's package fonts-noto-core; README.md says how."""

import sys
from copy import deepcopy

from fontTools import subset
from fontTools.ttLib import TTFont

# Latin with its extensions, combining marks, Greek, Cyrillic, punctuation, currencies, letter-like and number forms.
RANGES = [(0x20, 0x24F), (0x259, 0x259), (0x2B0, 0x2FF), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F),
          (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x2070, 0x209F), (0x20A0, 0x20CF), (0x2100, 0x218F), (0x2190, 0x2193), (0x2212, 0x2212),
          (0xFB00, 0xFB06), (0xFFFD, 0xFFFD)]
# U+25A1, printed in place of a character that the font lacks: PDF/A allows no glyph 0.
BOX = 0x25A1
# The font has no minus sign; its en dash looks like one.
MINUS, EN_DASH = 0x2212, 0x2013


def make(source: str, target: str) -> None:
    font = TTFont(source, recalcTimestamp=False)
    glyphs, metrics = font["glyf"], font["hmtx"]
    glyphs["uni25A1"] = deepcopy(glyphs[".notdef"])
    metrics["uni25A1"] = metrics[".notdef"]
    font.setGlyphOrder([name for name in font.getGlyphOrder() if name != "uni25A1"] + ["uni25A1"])
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[BOX] = "uni25A1"
            table.cmap.setdefault(MINUS, table.cmap[EN_DASH])
    options = subset.Options()
    options.hinting = False
    options.notdef_outline = True
    options.recalc_timestamp = False
    options.layout_features = ["ccmp", "locl", "kern", "mark", "mkmk"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)] + [BOX])
    subsetter.subset(font)
    font.save(target)


if __name__ == "__main__":
    folder = sys.argv[1]
    for style in ("Regular", "Bold"):
        make(f"{folder}/NotoSans-{style}.ttf", f"NotoSans-{style}.ttf")
