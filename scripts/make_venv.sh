#!/bin/sh
# make_venv.sh FOLDER [PYTHON]: a virtual environment of the first Python >= 3.11 that can make one.
# A FOLDER that already holds a working one is kept.
set -eu

folder=$1
wanted=${2:-}
candidates=${wanted:-"python3.13 python3.12 python3.11 python3"}
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

if "$folder/bin/python" -c "$new_enough" 2>/dev/null && "$folder/bin/python" -m pip --version >/dev/null 2>&1
then
    exit 0
fi

# Sets `python` to the first candidate that is new enough and has venv, `bare` to one that lacks only venv.
look() {
    python=
    bare=
    for name in $candidates; do
        command -v "$name" >/dev/null 2>&1 || continue
        # Run it too: a name on the PATH may be a version manager's, with nothing behind it.
        "$name" -c "$new_enough" 2>/dev/null || continue
        if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
            python=$name
            return
        fi
        bare=${bare:-$name}
    done
}

look
if [ -z "$python" ] && [ -n "$bare" ]; then
    package=$("$bare" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    echo "$bare cannot make a virtual environment: its venv module is not installed." >&2
    echo "On Debian or Ubuntu: sudo apt-get install python3-venv (or $package). Then run make again." >&2
    exit 1
fi
if [ -z "$python" ]; then
    echo "No Python 3.11 or newer was found (looked for: $candidates)." >&2
    echo "Install one (Debian, Ubuntu: sudo apt-get install python3 python3-venv; macOS: brew install python)," >&2
    echo "or name it: make PYTHON=/path/to/python3.12" >&2
    exit 1
fi

echo "Making $folder with $("$python" --version)"
"$python" -m venv --clear "$folder"
