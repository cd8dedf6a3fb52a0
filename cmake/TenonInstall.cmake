# What users take in: find_package(tenon), pkg-config, or the command.
include(CMakePackageConfigHelpers)

install(TARGETS libtenon EXPORT tenonTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tenon_command DESTINATION ${CMAKE_INSTALL_BINDIR})
# The archive, for programs that carry the library inside; without what only a
# debugger reads (three quarters of it).
install(FILES $<TARGET_FILE:tenon_static> DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(CODE "
    execute_process(COMMAND ${CMAKE_OBJCOPY} --strip-debug
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libtenon.a\"
        COMMAND_ERROR_IS_FATAL ANY)")
install(EXPORT tenonTargets NAMESPACE tenon::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)

configure_package_config_file(cmake/tenonConfig.cmake.in
    ${CMAKE_BINARY_DIR}/tenonConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tenonConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tenonConfig.cmake
              ${CMAKE_BINARY_DIR}/tenonConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)

# The .pc file finds its prefix from where it lies, so a tree can be moved.
file(RELATIVE_PATH TN_PC_PREFIX
     /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/tenon.pc.in ${CMAKE_BINARY_DIR}/tenon.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tenon.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

foreach(section 1 7)
    install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section}
            FILES_MATCHING PATTERN "*.${section}")
endforeach()
install(DIRECTORY schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon/schemas
        FILES_MATCHING PATTERN "*.proto" PATTERN "*.fbs")

# What the manual and the headers speak of: languages, documents, examples.
set(TN_DOCS ${CMAKE_INSTALL_DATADIR}/doc/tenon)
install(FILES README.md CHANGELOG.md LICENSE ${CMAKE_BINARY_DIR}/generated/NOTICES
        DESTINATION ${TN_DOCS})
install(FILES rules/README.md DESTINATION ${TN_DOCS}/rules)
install(DIRECTORY docs/ DESTINATION ${TN_DOCS}/docs
        FILES_MATCHING PATTERN "*.md")
install(DIRECTORY examples/ DESTINATION ${TN_DOCS}/examples
        PATTERN "CMakeLists.txt" EXCLUDE)

# Completion scripts come out of the command itself, which knows its options.
install(CODE "
    set(command ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:tenon_command>\")
    set(to \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    foreach(pair bash:bash-completion/completions/tenon
                 zsh:zsh/site-functions/_tenon
                 fish:fish/vendor_completions.d/tenon.fish)
        string(REPLACE \":\" \";\" pair \${pair})
        list(GET pair 0 shell)
        list(GET pair 1 file)
        get_filename_component(folder \${to}/\${file} DIRECTORY)
        file(MAKE_DIRECTORY \${folder})
        execute_process(COMMAND \${command} completion \${shell}
                        OUTPUT_FILE \${to}/\${file}
                        COMMAND_ERROR_IS_FATAL ANY)
        list(APPEND CMAKE_INSTALL_MANIFEST_FILES
             \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/\${file}\")
    endforeach()")

# The Python package is plain Python over the shared library, which it finds by
# a path relative to itself, so that the tree can be moved.
set(TN_PYTHON lib/python3/dist-packages)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(TN_LIBRARY_FROM_PYTHON ${CMAKE_INSTALL_LIBDIR})
else()
    file(RELATIVE_PATH TN_LIBRARY_FROM_PYTHON
         /${TN_PYTHON}/tenon /${CMAKE_INSTALL_LIBDIR})
endif()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/python_library
     CONTENT "${TN_LIBRARY_FROM_PYTHON}/$<TARGET_SONAME_FILE_NAME:libtenon>\n")
install(DIRECTORY python/tenon DESTINATION ${TN_PYTHON}
        FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed")
install(FILES ${CMAKE_BINARY_DIR}/python_library
        DESTINATION ${TN_PYTHON}/tenon RENAME library)

# $PYTHON, else python3, is told where it is; without one there is nobody to
# tell.
install(CODE "
    set(python \"\$ENV{PYTHON}\")
    if(NOT python)
        set(python python3)
    endif()
    set(script \"${CMAKE_SOURCE_DIR}/cmake/python_path.py\")
    execute_process(COMMAND \${python} -B \${script} \${CMAKE_INSTALL_PREFIX}
                            \$ENV{DESTDIR}
                    OUTPUT_VARIABLE said ERROR_VARIABLE wrong
                    RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(STATUS \"no Python was told of the package: \${result} \${wrong}\")
    elseif(said MATCHES \"^wrote ([^\\n]*)\")
        message(STATUS \"Installing: \$ENV{DESTDIR}\${CMAKE_MATCH_1}\")
        list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${CMAKE_MATCH_1})
    elseif(said)
        message(STATUS \"\${said}\")
    endif()")
