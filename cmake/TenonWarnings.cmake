# Warnings for everything we compile ourselves.
add_library(tn_warnings INTERFACE)
target_compile_options(tn_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wstrict-prototypes
    $<$<BOOL:${TN_WERROR}>:-Werror>)
# Files may be longer than a 32-bit machine can map.
target_compile_definitions(tn_warnings INTERFACE
    _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
