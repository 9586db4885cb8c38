"""scripts/walls.py finds folders that know each other in a circle, and unsafe code that is not in
its table."""

import subprocess
import sys

import pytest

from sluice import ROOT

SOURCES = {
    "Shop/Shop.swift": "public struct Shop { var shelf: Shelf }\n",
    "Shop/Goods/Shelf.swift": "struct Shelf { var seller: Seller? }\n",
    "Shop/Staff/Seller.swift": "// Knows no Shelf.\nstruct Seller { let text = \"Shelf\"; var own = "
                               "Other.Shelf() }\n"
    "func sells<Goods, Shelf: Any>(_ shelf: Shelf) {}\n",
    "Logs/Paper/Sheet.swift": "enum Sheet {}\n",
}
MANIFEST = """
    .target(name: "Shop", dependencies: []),
    .target(
        name: "PaperLog", dependencies: ["Shop"],
        path: "Sources/Logs/Paper",
    ),
"""


@pytest.fixture
def walls(tmp_path):
    """Checks a small package; a call gives it further files and another table first."""
    for path, text in SOURCES.items():
        (tmp_path / "Sources" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "Sources" / path).write_text(text)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "Package.swift").write_text(MANIFEST)
    table = tmp_path / "scripts/walls.toml"
    table.write_text("[cycles]\n[unsafe]\n")

    def run(*arguments, toml=None, **files):
        for name, text in files.items():
            (tmp_path / "Sources/Shop/Staff" / f"{name}.swift").write_text(text)
        if toml:
            table.write_text(toml)
        result = subprocess.run([sys.executable, ROOT / "scripts/walls.py", *arguments, tmp_path],
                                capture_output=True, text=True, check=False)
        assert result.stderr == ""
        return result.returncode, result.stdout.splitlines(), table.read_text()

    return run


def test_folders_may_know_each_other_in_one_direction(walls):
    assert walls()[:2] == (0, [])


@pytest.mark.parametrize(
    "text",
    [
        "extension Seller { func fill(_ shelf: Shelf) {} }\n", "extension Shelf {}\n",
        "let shelves = Array<Shelf>()\n", "func fill<T: Any>(_ shelf: [T: Shelf]) {}\n",
    ],
)
def test_a_new_circle_is_refused_and_names_its_folders(walls, text):
    status, lines, _ = walls(Till=text)
    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith("Shop: new in a circle of folders: Goods Staff; ")
    shown = walls("--show", "Shop")[1]
    assert "Staff → Goods: Shelf (Till.swift)" in shown and "Goods → Staff: Seller (Shelf.swift)" in shown


def test_a_listed_circle_passes_until_it_is_gone(walls):
    listed = '[cycles]\nShop = ["Goods", "Staff"]\n[unsafe]\n'
    assert walls(toml=listed, Till="extension Seller { func fill(_ shelf: Shelf) {} }\n")[0] == 0
    status, lines, _ = walls(Till="")
    assert status == 1 and lines[0].startswith("Shop: no longer in a circle of folders: Goods Staff: ")
    assert walls("--lower")[0] == 0
    assert walls()[:2] == (0, [])


def test_unsafe_code_may_only_become_less(walls):
    text = "// UnsafePointer\nunowned(unsafe) var a: UnsafePointer<Int>\nlet b = unsafe a.pointee\n"
    known = "[cycles]\n[unsafe]\nShop = [1, 1, 0, 0, 1]\n"
    assert walls(toml=known, Till=text)[0] == 0
    more = walls("--lower", Till=text + "nonisolated(unsafe) let c = Unmanaged.passRetained(self)\n")
    assert more[:2] == (1, ["Shop: Unmanaged 0 → 1 times"]) and more[2] == known
    status, lines, _ = walls(Till="let b = unsafe a\n")
    assert status == 1 and [line.split(": ")[1] for line in lines] == [
        "Unsafe… 1 → 0 times", "unowned(unsafe) 1 → 0 times"]
    assert "Shop = [0, 0, 0, 0, 1]" in walls("--lower")[2]


def test_a_target_that_is_gone_is_refused(walls):
    status, lines, _ = walls(toml="[cycles]\nLogs = ['Paper']\n[unsafe]\nPaperLog = [0, 0, 0, 0, 0]\n")
    assert status == 1 and len(lines) == 1 and lines[0].startswith("Logs: no such target: ")
