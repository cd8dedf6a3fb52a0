# tn_layer(NAME NEEDS lower...): one floor of src/.
#
# Every folder of the floor is compiled with an include directory of symlinks
# to what the floor needs, and to nothing else: an include that looks up does
# not compile.  Folders inside a floor (wire/pb, wire/sstable) do not see each
# other either, only the headers that lie in the floor itself, unless ROOMS says
# so: "flow: net" is a folder that needs its neighbour.
#
# NAME_test.c beside a module becomes a test, NAME_fuzz.c a fuzzer and, built a
# second time, a test that replays its corpus.

function(tn_link_headers dir)
    file(MAKE_DIRECTORY ${dir})
    foreach(target ${ARGN})
        file(RELATIVE_PATH below ${CMAKE_SOURCE_DIR}/src ${target})
        get_filename_component(parent ${dir}/${below} DIRECTORY)
        file(MAKE_DIRECTORY ${parent})
        file(CREATE_LINK ${target} ${dir}/${below} SYMBOLIC)
    endforeach()
endfunction()

# The include directory of one folder: its floor's needs and itself.
function(tn_view out name floor)
    set(dir ${CMAKE_BINARY_DIR}/layers/${name})
    file(REMOVE_RECURSE ${dir})
    set(src ${CMAKE_SOURCE_DIR}/src)
    set(links)
    foreach(need ${ARGN})
        list(APPEND links ${src}/${need})
    endforeach()
    if(NOT name STREQUAL floor)
        file(GLOB shared CONFIGURE_DEPENDS ${src}/${floor}/*.h)
        list(APPEND links ${shared})
    endif()
    list(APPEND links ${src}/${name})
    tn_link_headers(${dir} ${links})
    set(${out} ${dir} PARENT_SCOPE)
endfunction()

# Compile one folder (not its subfolders) into objects.
function(tn_folder name floor)
    set(src ${CMAKE_SOURCE_DIR}/src)
    file(GLOB sources CONFIGURE_DEPENDS ${src}/${name}/*.c)
    file(GLOB tests CONFIGURE_DEPENDS ${src}/${name}/*_test.c)
    file(GLOB fuzzers CONFIGURE_DEPENDS ${src}/${name}/*_fuzz.c)
    list(REMOVE_ITEM sources ${tests} ${fuzzers} "")
    if(NOT sources)
        return()
    endif()
    tn_view(view ${name} ${floor} ${ARGN})
    string(REPLACE / _ target tn_${name})
    add_library(${target} OBJECT ${sources})
    target_include_directories(${target} PRIVATE
        ${view} ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)
    target_link_libraries(${target} PRIVATE
        tn_warnings tn_small tn_codec_headers)
    tn_compile_for_size(${sources})
    add_dependencies(${target} tn_generated)
    set_property(GLOBAL APPEND PROPERTY TN_OBJECTS $<TARGET_OBJECTS:${target}>)
    foreach(file ${tests})
        set_property(GLOBAL APPEND PROPERTY TN_UNIT_TESTS "${file}|${view}")
    endforeach()
    foreach(file ${fuzzers})
        set_property(GLOBAL APPEND PROPERTY TN_FUZZERS "${file}|${view}")
    endforeach()
endfunction()

# The neighbours that a folder needs, by what ROOMS says.
function(tn_neighbours out name leaf)
    set(found)
    foreach(room ${ARGN})
        if(room MATCHES "^${leaf}: (.*)$")
            string(REPLACE " " ";" found ${CMAKE_MATCH_1})
            list(TRANSFORM found PREPEND ${name}/)
        endif()
    endforeach()
    set(${out} ${found} PARENT_SCOPE)
endfunction()

function(tn_layer name)
    cmake_parse_arguments(arg "" "" "NEEDS;ROOMS" ${ARGN})
    tn_folder(${name} ${name} ${arg_NEEDS})
    file(GLOB folders LIST_DIRECTORIES true CONFIGURE_DEPENDS
         ${CMAKE_SOURCE_DIR}/src/${name}/*)
    foreach(folder ${folders})
        if(IS_DIRECTORY ${folder})
            get_filename_component(leaf ${folder} NAME)
            tn_neighbours(neighbours ${name} ${leaf} ${arg_ROOMS})
            tn_folder(${name}/${leaf} ${name} ${arg_NEEDS} ${neighbours})
        endif()
    endforeach()
endfunction()
