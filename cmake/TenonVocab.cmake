# The library carries FILE as `const unsigned char SYMBOL[]`.
function(tn_embed_rules symbol file)
    set(code ${CMAKE_BINARY_DIR}/generated/${symbol}.c)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    add_custom_command(
        OUTPUT ${code}
        COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${code}
                -DSYMBOL=${symbol}
                -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
        DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
    add_custom_target(${symbol} DEPENDS ${code})
    add_dependencies(tn_generated ${symbol})
    set_property(GLOBAL APPEND PROPERTY TN_VOCAB_SOURCES ${code})
endfunction()

# tn_vocabulary(NAME): NAME.ops as tn_vocab_NAME.
function(tn_vocabulary name)
    tn_embed_rules(tn_vocab_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.ops)
endfunction()

# tn_names(NAME): NAME.names as tn_rules_NAME.
function(tn_names name)
    tn_embed_rules(tn_rules_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.names)
endfunction()

# tn_rule_files(NAME...): NAME.rules as tn_rules_NAME.
function(tn_rule_files)
    foreach(name ${ARGN})
        tn_embed_rules(tn_rules_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.rules)
    endforeach()
endfunction()

# tn_shape_files(DIALECT...): DIALECT.shapes as tn_shapes_DIALECT.
function(tn_shape_files)
    foreach(name ${ARGN})
        tn_embed_rules(tn_shapes_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.shapes)
    endforeach()
endfunction()
