# cmake -DMANIFEST=build/install_manifest.txt -P cmake/uninstall.cmake
#
# Removes what the last `make install` wrote, and folders of ours that are then
# empty.  $DESTDIR counts as it did there.
if(NOT EXISTS ${MANIFEST})
    message(FATAL_ERROR "nothing was installed from here: no ${MANIFEST}")
endif()
# Without ENCODING a line ends at the first byte that is not ASCII.
file(STRINGS ${MANIFEST} files ENCODING UTF-8)
foreach(file IN LISTS files)
    set(file "$ENV{DESTDIR}${file}")
    if(EXISTS ${file} OR IS_SYMLINK ${file})
        file(REMOVE ${file})
    endif()
    get_filename_component(folder ${file} DIRECTORY)
    if(folder MATCHES "/tenon(/|$)")
        file(REMOVE_RECURSE ${folder}/__pycache__)
    endif()
    while(folder MATCHES "/tenon(/|$)")
        file(GLOB left ${folder}/* ${folder}/.*)
        list(FILTER left EXCLUDE REGEX "/\\.\\.?$")
        if(left OR NOT EXISTS ${folder})
            break()
        endif()
        file(REMOVE_RECURSE ${folder})
        get_filename_component(folder ${folder} DIRECTORY)
    endwhile()
endforeach()
file(REMOVE ${MANIFEST})
