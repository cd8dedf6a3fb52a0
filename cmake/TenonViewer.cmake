# The page of `tenon view` (viewer/): its files are joined into one page, which
# the library carries in two parts, tn_viewer_head and tn_viewer_tail.
# What is written between them is the model.  Nothing but CMake is needed.
set(tn_viewer_parts palette stream model warp frame grid camera corner textfit
    wires draw treemap scene list tree search panel legend minimap link theme keys
    pointer print main)

function(tn_viewer)
    set(out ${CMAKE_BINARY_DIR}/generated)
    list(TRANSFORM tn_viewer_parts PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/
         OUTPUT_VARIABLE scripts)
    list(TRANSFORM scripts APPEND .js)
    set(join ${CMAKE_CURRENT_SOURCE_DIR}/join.cmake)
    file(MAKE_DIRECTORY ${out})
    add_custom_command(
        OUTPUT ${out}/viewer_head.html ${out}/viewer_tail.html
        COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DSCRIPTS=${scripts}"
                -DSTYLE=${CMAKE_CURRENT_SOURCE_DIR}/style.css
                -DPAGE=${CMAKE_CURRENT_SOURCE_DIR}/page.html -P ${join}
        DEPENDS ${scripts} ${join} ${CMAKE_CURRENT_SOURCE_DIR}/style.css
                ${CMAKE_CURRENT_SOURCE_DIR}/page.html VERBATIM)
    tn_compile_rules(tn_viewer_head ${out}/viewer_head.html)
    tn_compile_rules(tn_viewer_tail ${out}/viewer_tail.html)
    # Two targets that need one command: the first of them runs it.
    add_custom_target(tn_viewer_join DEPENDS
                      ${out}/viewer_head.html ${out}/viewer_tail.html)
    add_dependencies(tn_viewer_head tn_viewer_join)
    add_dependencies(tn_viewer_tail tn_viewer_join)
endfunction()
