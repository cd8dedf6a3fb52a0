"""python -m tenon: the command."""
import os
import shutil
import sys


def main() -> None:
    here = os.path.dirname(os.path.realpath(__file__))
    # Where the wheel puts it, in an environment or below --target.
    beside = [os.path.join(os.path.dirname(sys.executable), "tenon"),
              os.path.join(os.path.dirname(here), "bin", "tenon")]
    command = os.environ.get("TENON_COMMAND") or next(
        (path for path in beside if os.access(path, os.X_OK)), None) \
        or shutil.which("tenon")
    if not command:
        sys.exit("tenon: the command is not installed: it is neither beside "
                 "the package nor in PATH (TENON_COMMAND can name it)")
    try:
        os.execv(command, ["tenon", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tenon: cannot run {command}: {error.strerror}")


if __name__ == "__main__":
    main()
