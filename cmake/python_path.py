"""Lets a Python find the package that was installed under a prefix.

    python_path.py PREFIX [DESTDIR]

Run by the Python that is to find it.  The package is in
PREFIX/lib/python3/dist-packages, which Debian's Python knows for /usr alone.
For other prefixes a file tenon.pth names that folder:

  - in a folder of Python's that is under the prefix (/usr/local, ~/.local, a
    virtual environment), by a relative path
  - else in the first folder of Python's that can be written to
  - else, and when files are only staged (DESTDIR), nowhere: nothing outside of
    DESTDIR is touched, and it says what is missing

Prints `wrote PATH` for a file that was written, without DESTDIR.
"""
import os
import site
import sys

MARK = "# made by `make install` of tenon\n"


def folders():
    """Where this Python looks for .pth files."""
    found = list(site.getsitepackages())
    if site.ENABLE_USER_SITE:
        found.append(site.getusersitepackages())
    return [os.path.realpath(folder) for folder in found]


def is_under(path, prefix):
    return os.path.commonpath([path, prefix]) == prefix


def can_write(folder):
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    return os.access(folder, os.W_OK)


def write(folder, line, destdir):
    path = os.path.join(folder, "tenon.pth")
    staged = destdir + path
    os.makedirs(os.path.dirname(staged), exist_ok=True)
    with open(staged, "w", encoding="utf-8") as file:
        file.write(MARK + line + "\n")
    print("wrote", path)


def searched_first(known, place):
    """The folders that Python looks into before `place`: the user's own is
    the first."""
    if site.ENABLE_USER_SITE:
        known = known[-1:] + known[:-1]
    return known[:known.index(place)] if place else []


def remove_others(winning_folders):
    """Those of an earlier install under another prefix, which would win.
    What comes later in Python's order is somebody else's and stays."""
    for folder in winning_folders:
        path = os.path.join(folder, "tenon.pth")
        try:
            with open(path, encoding="utf-8") as file:
                is_ours = file.readline() == MARK
            if is_ours:
                os.remove(path)
        except OSError:
            pass


def main(prefix, destdir=""):
    prefix = os.path.realpath(prefix)
    module = os.path.join(prefix, "lib", "python3", "dist-packages")
    known = folders()
    under = [folder for folder in known if is_under(folder, prefix)]
    place = None
    if module in known:
        place = module
    elif under:
        place = under[0]
        write(place, os.path.relpath(module, place), destdir)
    elif destdir:
        print(f"{sys.executable} finds the package when one of its folders "
              f"has a tenon.pth with the line {module}")
    else:
        place = next(filter(can_write, known), None)
        if place is None:
            print(f"{sys.executable} does not find the package: no folder "
                  f"of its own can be written to; set PYTHONPATH={module}")
        else:
            write(place, module, "")
    if not destdir:
        remove_others(searched_first(known, place))


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(*sys.argv[1:])
