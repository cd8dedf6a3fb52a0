#!/bin/sh
# install.sh BUILD: what `make install` lays down can be used by strangers:
# through pkg-config, through find_package, and after the tree was moved.
set -eu
build=$(realpath "$1")
[ -f "$build/tenon" ] || { echo "skipped: no release build in $build"; exit 77; }
folder=$(mktemp -d)
# `make uninstall` goes by that list: it stays the one of the last real install.
manifest=$build/install_manifest.txt
[ ! -f "$manifest" ] || cp "$manifest" "$folder/manifest"

finish() {
    rm -f "$manifest"
    [ ! -f "$folder/manifest" ] || cp "$folder/manifest" "$manifest"
    rm -rf "$folder"
}
trap finish EXIT

DESTDIR=$folder/stage cmake --install "$build" --prefix /opt/tenon >/dev/null
mv "$folder/stage/opt/tenon" "$folder/moved"
cd "$folder"

cat >use.c <<'END'
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>
int main(void)
{
    puts(tn_version());
    return strcmp(tn_version(), TN_VERSION_STRING) != 0;
}
END
lib=$(dirname "$(find "$folder/moved" -name tenon.pc)")
PKG_CONFIG_PATH=$lib
export PKG_CONFIG_PATH
cc use.c -o by-pkgconfig $(pkg-config --cflags --libs tenon)
LD_LIBRARY_PATH=$lib/.. ./by-pkgconfig

cat >use.cc <<'END'
#include <tenon/tenon.h>
int main()
{
    tn_error         error = TN_ERROR_INIT;
    tn_options       options = TN_OPTIONS_INIT;
    tn_check_options check = TN_CHECK_OPTIONS_INIT;
    tn_model        *model;
    if (options.size != sizeof options || check.size != sizeof check)
        return 1;
    return tn_model_open(&model, "missing", &options, &error) != TN_IO;
}
END
if command -v c++ >/dev/null; then
    c++ -Wall -Wextra -Werror use.cc -o by-cplusplus \
        $(pkg-config --cflags --libs tenon)
    LD_LIBRARY_PATH=$lib/.. ./by-cplusplus
fi

# Each header stands alone, in C and in C++.
for header in moved/include/tenon/*.h; do
    printf '#include <tenon/%s>\nint alone;\n' "$(basename "$header")" >alone.c
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only alone.c \
        $(pkg-config --cflags tenon)
    ! command -v c++ >/dev/null ||
        c++ -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            alone.c $(pkg-config --cflags tenon)
done
cc -std=c11 -Wall -Wextra -Wpedantic -Werror \
    moved/share/doc/tenon/examples/first_steps.c -o first_steps \
    $(pkg-config --cflags --libs tenon)

mkdir project
cp use.c project/
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(use C)
find_package(tenon 0.2 REQUIRED)
add_executable(use use.c)
target_link_libraries(use PRIVATE tenon::tenon)
END
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$folder/moved" \
    >/dev/null
cmake --build project/build >/dev/null
project/build/use

# The archive: a program that needs no libtenon.so, by either way.
cc use.c -o by-archive $(pkg-config --cflags tenon) "$lib/../libtenon.a" \
    $(pkg-config --static --libs tenon | sed 's/-ltenon//')
./by-archive
sed -i 's/tenon::tenon)/tenon::tenon_static)/' project/CMakeLists.txt
cmake -S project -B project/static -DCMAKE_PREFIX_PATH="$folder/moved" \
    >/dev/null
cmake --build project/static >/dev/null
project/static/use
! readelf -d by-archive project/static/use | grep -q libtenon ||
    { echo "the archive needs the library"; exit 1; }

moved/bin/tenon --version
[ -s moved/share/doc/tenon/NOTICES ] || { echo "no notices"; exit 1; }
[ -f moved/share/tenon/schemas/samediff_graph.fbs ] || { echo "no .fbs"; exit 1; }
[ -f moved/share/doc/tenon/rules/README.md ] || { echo "no rules"; exit 1; }
[ -f moved/share/doc/tenon/docs/json.md ] || { echo "no documents"; exit 1; }
[ -f moved/share/man/man1/tenon.1 ] || { echo "no manual"; exit 1; }
[ -f moved/share/tenon/schemas/onnx.proto ] || { echo "no schemas"; exit 1; }
[ -s moved/share/bash-completion/completions/tenon ] || { echo "no completion"; exit 1; }
[ -f moved/lib/python3/dist-packages/tenon/__init__.py ] || { echo "no Python package"; exit 1; }
