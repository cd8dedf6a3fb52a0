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
