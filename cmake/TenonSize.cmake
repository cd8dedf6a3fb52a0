# How a release stays small.  A tenth of the code does almost all of the work;
# it is compiled for speed (-O2), and the rest for size (-Os), which makes it a
# third smaller.  TN_FAST in src/CMakeLists.txt lists what is compiled for
# speed.
#
# Nothing here throws, so nothing needs tables for unwinding: debuggers take them
# from the debug symbols.  Functions that nobody calls are left out of commands.
# Debug builds are not concerned.
add_library(tn_small INTERFACE)
target_compile_options(tn_small INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:-fno-asynchronous-unwind-tables>
    $<$<NOT:$<CONFIG:Debug>>:-fno-unwind-tables>
    $<$<NOT:$<CONFIG:Debug>>:-ffunction-sections>
    $<$<NOT:$<CONFIG:Debug>>:-fno-align-functions>
    $<$<NOT:$<CONFIG:Debug>>:-fno-align-jumps>
    $<$<NOT:$<CONFIG:Debug>>:-fno-align-loops>)
target_link_options(tn_small INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:LINKER:--gc-sections>)

# Addresses in tables of the command are stored as a bitmap (DT_RELR), where linker
# and C library know it (binutils 2.38, glibc 2.36): 2 KB instead of 205.
option(TN_PACK_RELOCATIONS
       "the command may need a C library of 2022, and is 3 % smaller" ON)
if(TN_PACK_RELOCATIONS AND NOT CMAKE_CROSSCOMPILING)
    include(CheckCSourceRuns)
    set(CMAKE_REQUIRED_LINK_OPTIONS LINKER:-z,pack-relative-relocs)
    check_c_source_runs("
        static int one = 1;
        static int *volatile table[] = { &one, &one, &one };
        int main(void) { return *table[2] - 1; }" TN_RELOCATIONS_ARE_PACKED)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()
add_library(tn_packed INTERFACE)
if(TN_RELOCATIONS_ARE_PACKED)
    target_link_options(tn_packed INTERFACE
        $<$<NOT:$<CONFIG:Debug>>:LINKER:-z,pack-relative-relocs>)
endif()

# tn_compile_for_size(FILE...): all but those that TN_FAST matches.
function(tn_compile_for_size)
    foreach(file ${ARGN})
        file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${file})
        set(is_fast FALSE)
        foreach(pattern ${TN_FAST})
            if(name MATCHES "^src/(${pattern})")
                set(is_fast TRUE)
            endif()
        endforeach()
        if(NOT is_fast)
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS
                $<$<NOT:$<CONFIG:Debug>>:-Os>)
        endif()
    endforeach()
endfunction()
