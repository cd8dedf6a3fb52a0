# A file as a C array: cmake -DINPUT= -DOUTPUT= -DSYMBOL= -P Embed.cmake
file(READ ${INPUT} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," body "${hex}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n" body "${body}")
file(WRITE ${OUTPUT}
"#include <stddef.h>
extern const unsigned char ${SYMBOL}[];
extern const size_t ${SYMBOL}_size;
const unsigned char ${SYMBOL}[] = {
${body}
};
const size_t ${SYMBOL}_size = ${size};
")
