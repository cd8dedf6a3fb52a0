# Rules and vocabularies are read while the library is built, by a tool of our
# own: rules/compile.c and the parsers of the library.  Where the library is built
# for another machine, the tool is built by a compiler for this one, TN_HOST_CC.
find_program(TN_HOST_CC NAMES cc gcc clang NO_CMAKE_FIND_ROOT_PATH
             DOC "compiles what runs during a cross build")

set(tn_compile_sources ${CMAKE_SOURCE_DIR}/rules/compile.c)
foreach(name
        base/buffer base/cursor base/error base/intern base/location base/memory
        base/number base/pack base/block_cache base/sink base/sort base/source
        base/watch
        ir/dtype ir/vocab ir/vocab_fact ir/vocab_op ir/vocab_pack
        ir/vocab_words map/lang/lang_both map/lang/lang_lex map/lang/lang_pack
        map/lang/lang_parse)
    list(APPEND tn_compile_sources ${CMAKE_SOURCE_DIR}/src/${name}.c)
endforeach()

if(CMAKE_CROSSCOMPILING)
    set(tn_compile_rules ${CMAKE_BINARY_DIR}/generated/compile_rules)
    file(GLOB tn_compile_headers CONFIGURE_DEPENDS
         ${CMAKE_SOURCE_DIR}/src/base/*.h ${CMAKE_SOURCE_DIR}/src/ir/*.h
         ${CMAKE_SOURCE_DIR}/src/map/lang/*.h
         ${CMAKE_SOURCE_DIR}/include/tenon/*.h)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    add_custom_command(
        OUTPUT ${tn_compile_rules}
        COMMAND ${TN_HOST_CC} -std=c11 -D_POSIX_C_SOURCE=200809L -O1
                -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include
                ${tn_compile_sources} -o ${tn_compile_rules} -lzstd -lm
        DEPENDS ${tn_compile_sources} ${tn_compile_headers} VERBATIM)
    add_custom_target(compile_rules DEPENDS ${tn_compile_rules})
else()
    add_executable(compile_rules ${tn_compile_sources})
    target_include_directories(compile_rules PRIVATE
        ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(compile_rules PRIVATE tn_warnings zstd m)
    set_target_properties(compile_rules PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    set(tn_compile_rules compile_rules)
endif()
add_custom_target(tn_compiled)

# The library carries FILE as SYMBOL_text[], and what the parser made of it as
# SYMBOL_packed[]: rules/compile.c.
function(tn_compile_rules symbol file)
    set(code ${CMAKE_BINARY_DIR}/generated/${symbol}.c)
    add_custom_command(
        OUTPUT ${code}
        COMMAND ${tn_compile_rules} ${symbol} ${file} ${code}
        DEPENDS ${file} compile_rules ${tn_compile_rules} VERBATIM)
    add_custom_target(${symbol} DEPENDS ${code})
    add_dependencies(tn_compiled ${symbol})
    set_property(GLOBAL APPEND PROPERTY TN_VOCAB_SOURCES ${code})
endfunction()

# tn_vocabulary(NAME): NAME.ops as tn_vocab_NAME.
function(tn_vocabulary name)
    tn_compile_rules(tn_vocab_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.ops)
endfunction()

# tn_names(NAME): NAME.names as tn_rules_NAME.
function(tn_names name)
    tn_compile_rules(tn_rules_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.names)
endfunction()

# tn_rule_files(NAME...): NAME.rules as tn_rules_NAME.
function(tn_rule_files)
    foreach(name ${ARGN})
        tn_compile_rules(tn_rules_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.rules)
    endforeach()
endfunction()

# tn_shape_files(DIALECT...): DIALECT.shapes as tn_shapes_DIALECT.
function(tn_shape_files)
    foreach(name ${ARGN})
        tn_compile_rules(tn_shapes_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.shapes)
    endforeach()
endfunction()
