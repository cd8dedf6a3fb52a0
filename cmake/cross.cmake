# For another processor: cmake --toolchain cmake/cross.cmake with
#   TN_CROSS       the triplet of Debian's cross compiler, aarch64-linux-gnu
#   TN_CROSS_ROOT  a folder with that architecture's libraries
# tools/cross makes the folder, builds and runs the unit tests under qemu.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TN_CROSS TN_CROSS_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${TN_CROSS}")
set(CMAKE_C_COMPILER ${TN_CROSS}-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${TN_CROSS})
string(REPLACE i686 i386 multiarch "${TN_CROSS}")
set(CMAKE_FIND_ROOT_PATH ${TN_CROSS_ROOT} /usr/${TN_CROSS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_LIBRARY_PATH /usr/lib/${multiarch} /lib/${multiarch})
set(ENV{PKG_CONFIG_LIBDIR} ${TN_CROSS_ROOT}/usr/lib/${multiarch}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${TN_CROSS_ROOT})
set(CMAKE_C_FLAGS_INIT "-isystem ${TN_CROSS_ROOT}/usr/include -isystem ${TN_CROSS_ROOT}/usr/include/${multiarch}")
# A library finds those that it needs itself.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${TN_CROSS_ROOT}/usr/lib/${multiarch}:${TN_CROSS_ROOT}/lib/${multiarch}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")
string(REGEX REPLACE "-.*" "" processor "${multiarch}")
find_program(TN_QEMU qemu-${processor} NO_CMAKE_FIND_ROOT_PATH)
if(TN_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${TN_QEMU} -L /usr/${TN_CROSS} -E
        LD_LIBRARY_PATH=${TN_CROSS_ROOT}/usr/lib/${multiarch}:${TN_CROSS_ROOT}/lib/${multiarch}:/usr/${TN_CROSS}/lib)
endif()
