#!/bin/sh
# package_version.sh ROOT: every file that names the version names the same.
set -eu
cd "$1"
version=$(sed -n 's/.*TN_VERSION_STRING "\(.*\)"/\1/p' include/tenon/version.h)
minor=${version%.*}
fail() { echo "$1 does not name $2"; exit 1; }
head -n 1 debian/changelog | grep -q "($version)" || fail debian/changelog "$version"
grep -q "^TENON_$minor {" cmake/libtenon.map || fail cmake/libtenon.map "TENON_$minor"
for file in debian/control debian/libtenon$minor.symbols debian/libtenon$minor.install; do
    [ -f "$file" ] || fail debian "libtenon$minor"
    grep -q "libtenon" "$file" || fail "$file" "libtenon$minor"
done
grep -q "^Package: libtenon$minor\$" debian/control || fail debian/control "libtenon$minor"
/usr/bin/python3 -B -c '
import sys
sys.path.insert(0, "tools")
import wheel_backend
sys.exit(wheel_backend.version() != sys.argv[1])' "$version" || fail tools/wheel_backend.py "$version"
