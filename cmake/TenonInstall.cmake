# What users take in: find_package(tenon), pkg-config, or the command.
include(CMakePackageConfigHelpers)

install(TARGETS libtenon EXPORT tenonTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tenon_command DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT tenonTargets NAMESPACE tenon::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)

configure_package_config_file(cmake/tenonConfig.cmake.in
    ${CMAKE_BINARY_DIR}/tenonConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)
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

install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        FILES_MATCHING PATTERN "*.1")
install(DIRECTORY schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon/schemas
        FILES_MATCHING PATTERN "*.proto" PATTERN "*.fbs")

# What the manual and the headers speak of: languages, documents, examples.
set(TN_DOCS ${CMAKE_INSTALL_DATADIR}/doc/tenon)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${TN_DOCS})
install(FILES rules/README.md DESTINATION ${TN_DOCS}/rules)
install(DIRECTORY docs/ DESTINATION ${TN_DOCS}/docs
        FILES_MATCHING PATTERN "*.md")
install(DIRECTORY examples/ DESTINATION ${TN_DOCS}/examples
        PATTERN "CMakeLists.txt" EXCLUDE)

# Completion scripts come out of the command itself, which knows its options.
install(CODE "
    set(command \"$<TARGET_FILE:tenon_command>\")
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
    endforeach()")

# The Python package is plain Python over the shared library.
install(DIRECTORY python/tenon DESTINATION lib/python3/dist-packages
        FILES_MATCHING PATTERN "*.py")
