# The libraries we take, each found and named once.  The shared library links
# them as usual; the command takes the static archives where Debian ships them,
# because start-up time counts.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlienc libbrotlidec)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_library(SNAPPY_LIBRARY snappy REQUIRED)
find_path(SNAPPY_INCLUDE snappy-c.h REQUIRED)

add_library(tn_codec_headers INTERFACE)
target_include_directories(tn_codec_headers INTERFACE
    ${CRYPTO_INCLUDE_DIRS} ${DEFLATE_INCLUDE_DIRS} ${ZLIB_INCLUDE_DIRS}
    ${BROTLI_INCLUDE_DIRS}
    ${ZSTD_INCLUDE_DIRS} ${SNAPPY_INCLUDE})

add_library(tn_codecs INTERFACE)
target_link_libraries(tn_codecs INTERFACE
    PkgConfig::CRYPTO PkgConfig::DEFLATE PkgConfig::ZLIB PkgConfig::BROTLI
    PkgConfig::ZSTD
    ${SNAPPY_LIBRARY} Threads::Threads m)

# tn_static(VARIABLE ARCHIVE FALLBACK): the archive if there is one.
function(tn_static variable archive fallback)
    find_library(${variable} ${archive})
    mark_as_advanced(${variable})
    if(NOT ${variable})
        set(${variable} ${fallback} PARENT_SCOPE)
    endif()
endfunction()
tn_static(STATIC_CRYPTO libcrypto.a PkgConfig::CRYPTO)
tn_static(STATIC_DEFLATE libdeflate.a PkgConfig::DEFLATE)
tn_static(STATIC_ZLIB libz.a PkgConfig::ZLIB)
tn_static(STATIC_BROTLIENC libbrotlienc.a PkgConfig::BROTLI)
tn_static(STATIC_BROTLIDEC libbrotlidec.a PkgConfig::BROTLI)
tn_static(STATIC_BROTLICOMMON libbrotlicommon.a PkgConfig::BROTLI)
tn_static(STATIC_ZSTD libzstd.a PkgConfig::ZSTD)
tn_static(STATIC_SNAPPY libsnappy.a ${SNAPPY_LIBRARY})

# Snappy is C++ inside.  A few lines of ours stand in for the runtime that its
# archive calls; where they do not suffice, the runtime comes as archives too.
try_compile(SNAPPY_RUNTIME_SUFFICES
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/snappy_probe.c
            ${CMAKE_CURRENT_LIST_DIR}/snappy_runtime.c
    LINK_LIBRARIES ${STATIC_SNAPPY} Threads::Threads
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${SNAPPY_INCLUDE})
if(SNAPPY_RUNTIME_SUFFICES)
    add_library(tn_snappy_runtime STATIC
        ${CMAKE_CURRENT_LIST_DIR}/snappy_runtime.c)
    set(SNAPPY_RUNTIME tn_snappy_runtime)
else()
    set(SNAPPY_RUNTIME -l:libstdc++.a -l:libgcc_eh.a)
endif()

add_library(tn_codecs_static INTERFACE)
if(TN_SHARED_CODECS) # as Debian wants it
    target_link_libraries(tn_codecs_static INTERFACE
        tn_codecs ${CMAKE_DL_LIBS})
else()
    target_link_libraries(tn_codecs_static INTERFACE
        ${STATIC_CRYPTO} ${STATIC_DEFLATE} ${STATIC_ZLIB} ${STATIC_BROTLIENC}
        ${STATIC_BROTLIDEC} ${STATIC_BROTLICOMMON} ${STATIC_ZSTD}
        ${STATIC_SNAPPY} ${SNAPPY_RUNTIME} Threads::Threads ${CMAKE_DL_LIBS} m)
endif()

# Debian's archives of zlib, zstd and snappy are not position-independent.
add_library(tn_codecs_bundled INTERFACE)
target_link_libraries(tn_codecs_bundled INTERFACE
    ${STATIC_CRYPTO} ${STATIC_DEFLATE} ${STATIC_BROTLIENC} ${STATIC_BROTLIDEC}
    ${STATIC_BROTLICOMMON} PkgConfig::ZLIB PkgConfig::ZSTD ${SNAPPY_LIBRARY}
    Threads::Threads ${CMAKE_DL_LIBS} m)
