/*
 * npy.h - the header of numpy's array files
 *
 *   93 'NUMPY'            magic
 *   u8  major, u8 minor   1.0, 2.0 or 3.0
 *   u16 length            of the header; u32 from 2.0 on
 *   header                a Python dict, padded with spaces, then \n:
 *                         {'descr': '<f4', 'fortran_order': False,
 *                          'shape': (2, 3), }
 *   elements              raw, at a multiple of 64
 *
 * Types that numpy does not have are written as the type that loses least:
 *   bfloat16              '<V2', which is how ml_dtypes' bfloat16 is saved: one
 *                         .view(bfloat16) makes it an array of numbers again
 *   float8*, float4e2m1   '|u1', the codes
 *   int4, int2, uint4, uint2, qint*, quint*   integers of the next size
 */
#ifndef TN_WIRE_NPY_H
#define TN_WIRE_NPY_H

#include <tenon/dtype.h>

#include "base/buffer.h"
#include "base/cursor.h"

#define TN_NPY_RANK_LIMIT   64
#define TN_NPY_HEADER_LIMIT (UINT32_C(1) << 20)

struct tn_npy {
    enum tn_dtype  dtype; /* TN_STRING: item_size bytes each, zero-padded     */
    uint64_t       item_size;
    bool           is_big_endian;
    bool           is_fortran; /* column-major                                */
    bool           is_utf32;   /* strings are of 4-byte characters            */
    uint8_t        major;
    uint32_t       rank;
    uint64_t       dims[TN_NPY_RANK_LIMIT];
    struct tn_span data;
};

/* Reads a header and notes where the elements are; the cursor is then after
 * them.  The dict must have exactly its three keys.  Structured types, Python
 * objects, dates and long doubles are UNSUPPORTED. */
enum tn_status tn_npy_read(struct tn_cursor *c, struct tn_npy *npy);

/* Appends a header for little-endian elements in C order, as the library hands
 * them out.  UNSUPPORTED for strings and other types of no fixed size. */
enum tn_status tn_npy_write(struct tn_buffer *to, enum tn_dtype dtype,
                            uint32_t rank, const uint64_t *dims);

/* The same for strings of `width` bytes each, zero-padded by the caller. */
enum tn_status tn_npy_write_strings(struct tn_buffer *to, uint64_t width,
                                    uint32_t rank, const uint64_t *dims);

/* "<f4", or NULL for types of no fixed size. */
const char *tn_npy_descr(enum tn_dtype dtype);

#endif
