"""Pages that programs write for those who look something up: they are printed, and not kept in git."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build/docs"
# The root of the project as seen from a page.
UP = "../.."


def finish(name, text, problems):
    """Writes the page, unless only a check is wanted; reports the problems, and gives the status of
    the program."""
    if "--check" not in sys.argv:
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / f"{name}.md").write_text(text)
        print(f"written: .build/docs/{name}.md")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0
