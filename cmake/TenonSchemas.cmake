# tn_schema(NAME FILES...): compile our .proto files to one descriptor set and
# embed it as `const unsigned char tn_schema_NAME[]` in the library.
find_program(PROTOC protoc REQUIRED)
add_custom_target(tn_generated)

function(tn_schema name)
    set(desc ${CMAKE_BINARY_DIR}/generated/${name}.desc)
    set(code ${CMAKE_BINARY_DIR}/generated/schema_${name}.c)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/
         OUTPUT_VARIABLE files)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    add_custom_command(
        OUTPUT ${desc}
        COMMAND ${PROTOC} -I${CMAKE_CURRENT_SOURCE_DIR} --include_imports
                --descriptor_set_out=${desc} ${files}
        DEPENDS ${files} VERBATIM)
    add_custom_command(
        OUTPUT ${code}
        COMMAND ${CMAKE_COMMAND} -DINPUT=${desc} -DOUTPUT=${code}
                -DSYMBOL=tn_schema_${name}
                -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
        DEPENDS ${desc} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
    add_custom_target(tn_schema_${name} DEPENDS ${code} ${desc})
    add_dependencies(tn_generated tn_schema_${name})
    set_property(GLOBAL APPEND PROPERTY TN_SCHEMA_SOURCES ${code})
endfunction()
