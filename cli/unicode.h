/* unicode.h - untrusted UTF-8: decoding, characters that are safe to print,
 * widths */
#ifndef CLI_UNICODE_H
#define CLI_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one code point.  Returns its length in bytes, or 0 if the bytes are
 * not valid UTF-8; overlong forms, surrogates and truncated sequences are
 * not. */
size_t cli_utf8(const uint8_t *at, size_t left, uint32_t *point);

/* Whether a code point affects nothing but itself: false for control characters
 * and for marks that reorder or hide the text around them. */
bool cli_is_safe(uint32_t point);

/* How many bytes at the beginning are safe and neither a backslash nor `stop`.
 */
size_t cli_safe_prefix(const uint8_t *at, size_t left, char stop);

/* Its width on a terminal: 0, 1 or 2 columns. */
unsigned cli_point_width(uint32_t point);

#endif
