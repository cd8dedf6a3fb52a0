# tn_vocabulary(NAME): embed NAME.vocab as `const unsigned char
# tn_vocab_NAME[]` in the library.
function(tn_vocabulary name)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/${name}.vocab)
    set(code ${CMAKE_BINARY_DIR}/generated/vocab_${name}.c)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    add_custom_command(
        OUTPUT ${code}
        COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${code}
                -DSYMBOL=tn_vocab_${name}
                -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
        DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
    add_custom_target(tn_vocab_${name} DEPENDS ${code})
    add_dependencies(tn_generated tn_vocab_${name})
    set_property(GLOBAL APPEND PROPERTY TN_VOCAB_SOURCES ${code})
endfunction()
