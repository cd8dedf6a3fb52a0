# What `tenon --licenses` prints and share/doc/tenon/NOTICES says: our licence,
# and the notices of every library that is linked into the command.  Debian keeps
# them in /usr/share/doc; nothing of them is kept in this tree.
#
# tn_write_notices(NAME PACKAGE:TITLE...): generated/NAME, and generated/NAME.c.
function(tn_write_notices name)
    set(notices "Tenon ${PROJECT_VERSION} is licensed under the Apache License 2.0.\n")
    string(APPEND notices "The command also contains code of the libraries below, "
           "under these terms.\n")
    foreach(pair ${ARGN})
        string(REPLACE ":" ";" pair ${pair})
        list(GET pair 0 package)
        list(GET pair 1 title)
        set(file ${TN_NOTICES_ROOT}/usr/share/doc/${package}/copyright)
        string(REGEX REPLACE "." "=" line ${title})
        string(APPEND notices "\n${title}\n${line}\n")
        if(EXISTS ${file})
            file(READ ${file} text)
            string(APPEND notices "${text}")
        else()
            string(APPEND notices "Its notice was not found where Tenon was built: "
                   "see the documentation of ${package}.\n")
        endif()
    endforeach()
    set(out ${CMAKE_BINARY_DIR}/generated/${name})
    set(known)
    if(EXISTS ${out})
        file(READ ${out} known)
    endif()
    if(NOT known STREQUAL notices) # else nothing is built again
        file(WRITE ${out} "${notices}")
    endif()
    add_custom_command(
        OUTPUT ${out}.c
        COMMAND ${CMAKE_COMMAND} -DINPUT=${out} -DOUTPUT=${out}.c
                -DSYMBOL=cli_notices -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
        DEPENDS ${out} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
endfunction()

set(tn_linked libssl-dev:OpenSSL libdeflate-dev:libdeflate zlib1g-dev:zlib
    libbrotli-dev:Brotli libzstd-dev:Zstandard libsnappy-dev:Snappy)
tn_write_notices(NOTICES ${tn_linked})
tn_write_notices(NOTICES_static ${tn_linked} libc6-dev:glibc)
set(tn_notices ${CMAKE_BINARY_DIR}/generated/NOTICES)
