# join.cmake - one page out of page.html, style.css and the scripts
#
# A script is an ES module while you work on it.  Here its lines `import ...`
# are removed and the word `export` before a declaration, and all scripts become
# one function: names at the top of a file are unique in the folder.  Style and
# script are allowed by their hashes, everything else is forbidden.
#
#   cmake -DOUT=folder -DSCRIPTS=a.js;b.js -DSTYLE=style.css -DPAGE=page.html -P join.cmake
cmake_minimum_required(VERSION 3.25)

# Base64 of the SHA-256 of TEXT, as a Content-Security-Policy wants it.
function(hash_of out text)
    string(SHA256 hex "${text}")
    set(alphabet
        ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
    set(result)
    # 32 bytes: ten groups of three, and two bytes that are left.
    foreach(at RANGE 0 60 6)
        string(SUBSTRING "${hex}0000" ${at} 6 group)
        math(EXPR bits "0x${group}")
        foreach(shift 18 12 6 0)
            math(EXPR index "(${bits} >> ${shift}) & 63")
            string(SUBSTRING ${alphabet} ${index} 1 letter)
            string(APPEND result ${letter})
        endforeach()
    endforeach()
    string(SUBSTRING ${result} 0 43 result)
    set(${out} "${result}=" PARENT_SCOPE)
endfunction()

set(script "\n'use strict';\n(() => {\n")
foreach(file ${SCRIPTS})
    file(READ ${file} text)
    string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    if(text MATCHES "</[sS][cC][rR][iI][pP][tT]")
        message(FATAL_ERROR "${file}: would end the script of the page")
    endif()
    string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
file(READ ${STYLE} style)
set(style "\n${style}")
hash_of(script_hash "${script}")
hash_of(style_hash "${style}")

file(READ ${PAGE} page)
string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(FIND "${page}" "@DATA@" middle)
string(SUBSTRING "${page}" 0 ${middle} head)
math(EXPR middle "${middle} + 6")
string(SUBSTRING "${page}" ${middle} -1 tail)
string(REPLACE "@SCRIPT@" "${script}" tail "${tail}")
file(WRITE ${OUT}/viewer_head.html "${head}")
file(WRITE ${OUT}/viewer_tail.html "${tail}")
