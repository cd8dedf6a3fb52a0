"""python -m tenon: the command."""
import os
import shutil
import sys


def main() -> None:
    here = os.path.dirname(os.path.realpath(__file__))
    beside = os.path.join(here, "bin", "tenon")
    command = os.environ.get("TENON_COMMAND") or (
        beside if os.access(beside, os.X_OK) else shutil.which("tenon"))
    if not command:
        sys.exit("tenon: the command is not installed: it is neither beside "
                 "the package nor in PATH (TENON_COMMAND can name it)")
    try:
        os.execv(command, ["tenon", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tenon: cannot run {command}: {error.strerror}")


if __name__ == "__main__":
    main()
