# What `tenon --licenses` prints and share/doc/tenon/NOTICES says: our licence,
# and the notices of every library that is linked into the command.  Debian keeps
# them in /usr/share/doc; nothing of them is kept in this tree.
set(tn_notices_from
    libssl-dev:OpenSSL libdeflate-dev:libdeflate zlib1g-dev:zlib
    libbrotli-dev:Brotli libzstd-dev:Zstandard libsnappy-dev:Snappy
    libc6-dev:glibc)
set(notices "Tenon ${PROJECT_VERSION} is licensed under the Apache License 2.0.\n")
string(APPEND notices
    "The command also contains code of the libraries below, under these terms.\n"
    "(glibc is part of the static build alone.)\n")
set(tn_notices ${CMAKE_BINARY_DIR}/generated/NOTICES)
foreach(pair ${tn_notices_from})
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
set(known)
if(EXISTS ${tn_notices})
    file(READ ${tn_notices} known)
endif()
if(NOT known STREQUAL notices) # else nothing is built again
    file(WRITE ${tn_notices} "${notices}")
endif()
set(tn_notices_code ${CMAKE_BINARY_DIR}/generated/notices.c)
add_custom_command(
    OUTPUT ${tn_notices_code}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${tn_notices} -DOUTPUT=${tn_notices_code}
            -DSYMBOL=cli_notices -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${tn_notices} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
