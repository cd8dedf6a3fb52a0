/* unicode.h - untrusted UTF-8: what is valid, what is safe, how wide it is */
#ifndef CLI_UNICODE_H
#define CLI_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode one code point.  Returns its length in bytes, or 0 when the bytes are
 * not UTF-8: overlong forms, surrogates and cut sequences included. */
size_t cli_utf8(const uint8_t *at, size_t left, uint32_t *point);

/* Does this code point only ever draw itself?  No for control characters and
 * for the marks that reorder or hide what stands around them. */
bool cli_is_safe(uint32_t point);

/* How many bytes at the beginning are safe and neither a backslash nor `stop`.
 */
size_t cli_safe_run(const uint8_t *at, size_t left, char stop);

/* Columns that a terminal needs for it: 0, 1 or 2. */
unsigned cli_point_width(uint32_t point);

#endif
