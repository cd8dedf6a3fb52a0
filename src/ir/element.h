/*
 * element.h - single elements: as numbers, as text, in another type
 *
 * An element is its little-endian bytes as tn_payload_stream() hands them out:
 * tn_dtype_size() of them, types below a byte in the low bits of one.  Only
 * types of fixed size are elements; a string is tn_element_string().
 *
 * Conversion, one rule for all pairs of types:
 *   to float     nearest, ties to even, rounded once.  Too large: infinity, or
 *                the largest number of that sign in types without one.  NaN
 *                stays NaN; float4e2m1, which has none, gets its largest.
 *                float8e8m0 has neither zero nor sign: 0 is the smallest,
 *                negative numbers are NaN; its ties go up.
 *   to integer   from floats towards zero and saturating, NaN is 0; from
 *                integers the low bits, as C does.
 *   to bool      whether it is not zero
 *   to complex   with imaginary part 0; from complex the real part
 */
#ifndef TN_IR_ELEMENT_H
#define TN_IR_ELEMENT_H

#include <tenon/dtype.h>

#include "base/buffer.h"
#include "base/byte_view.h"

/* Large enough for the text of any element, with its zero byte. */
#define TN_ELEMENT_TEXT 96

/* Bytes of the largest element. */
#define TN_ELEMENT_MAX 16

/* Types that are converted in the same way; NONE has no elements of fixed
 * size. */
enum tn_element_kind {
    TN_ELEMENT_NONE,
    TN_ELEMENT_FLOAT,
    TN_ELEMENT_SIGNED,
    TN_ELEMENT_UNSIGNED,
    TN_ELEMENT_BOOL,
    TN_ELEMENT_COMPLEX
};

enum tn_element_kind tn_element_kind(enum tn_dtype dtype);

/* The value as a number; the real part if it is complex. */
double  tn_element_double(enum tn_dtype dtype, const uint8_t *element);
int64_t tn_element_int64(enum tn_dtype dtype, const uint8_t *element);

void tn_element_from_double(enum tn_dtype dtype, double value, uint8_t *to);
void tn_element_from_int64(enum tn_dtype dtype, int64_t value, uint8_t *to);

/* `count` elements side by side, into another type.  The two do not overlap. */
void tn_element_convert(enum tn_dtype to_dtype, uint8_t *to,
                        enum tn_dtype from_dtype, const uint8_t *from,
                        size_t count);

/* The shortest decimal that reads back as the same element, or an integer in
 * full where that is no longer: 0.1, 448, 1e+30, true, (1.5-2j), nan, -inf.
 * Whatever the locale.  Returns `text`. */
const char *tn_element_text(enum tn_dtype dtype, const uint8_t *element,
                            char text[TN_ELEMENT_TEXT]);

/* Quoted, with \n \t \r \" \\ and \xNN for what is neither printable ASCII nor
 * part of well-formed UTF-8. */
void tn_element_string(struct tn_buffer *to, struct tn_bytes text);

#endif
