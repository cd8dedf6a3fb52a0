# tn_schema(NAME FILES...): compile our .proto files to one descriptor set and
# embed it as `const unsigned char tn_schema_NAME[]` in the library.
#
# tn_flat_schema(NAME FILES...): the same for NAME.fbs, which becomes a binary
# schema, tn_schema_NAME_text[], compressed; FILES are what it includes.
find_program(PROTOC protoc REQUIRED)
find_program(FLATC flatc REQUIRED)
add_custom_target(tn_generated)

# The library carries FILE as tn_schema_NAME.
function(tn_embed name file)
    set(code ${CMAKE_BINARY_DIR}/generated/schema_${name}.c)
    add_custom_command(
        OUTPUT ${code}
        COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${code}
                -DSYMBOL=tn_schema_${name}
                -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
        DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
    add_custom_target(tn_schema_${name} DEPENDS ${code} ${file})
    add_dependencies(tn_generated tn_schema_${name})
    set_property(GLOBAL APPEND PROPERTY TN_SCHEMA_SOURCES ${code})
endfunction()

function(tn_schema name)
    set(desc ${CMAKE_BINARY_DIR}/generated/${name}.desc)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/
         OUTPUT_VARIABLE files)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    add_custom_command(
        OUTPUT ${desc}
        COMMAND ${PROTOC} -I${CMAKE_CURRENT_SOURCE_DIR} --include_imports
                --descriptor_set_out=${desc} ${files}
        DEPENDS ${files} VERBATIM)
    tn_embed(${name} ${desc})
endfunction()

function(tn_flat_schema name)
    set(out ${CMAKE_BINARY_DIR}/generated)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/
         OUTPUT_VARIABLE includes)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/${name}.fbs)
    file(MAKE_DIRECTORY ${out})
    # Attributes that flatc knows itself are left out unless asked for; one of
    # them says which bytes are a buffer inside the buffer.
    add_custom_command(
        OUTPUT ${out}/${name}.bfbs
        COMMAND ${FLATC} --no-warnings --binary --schema --bfbs-builtins
                -o ${out} ${file}
        DEPENDS ${file} ${includes} VERBATIM)
    tn_compile_rules(tn_schema_${name} ${out}/${name}.bfbs)
endfunction()
