/*
 * pickle.h - the part of Python's pickles that holds data, and nothing else
 *
 * A pickle is a program for a stack machine.  This one never calls anything: it
 * knows numbers, strings, containers and numpy arrays, recognises the few
 * constructors that these need by name and by the shape of their arguments,
 * and refuses every other opcode and every other name.
 *
 *   80 version            2, 3, 4 or 5
 *   opcode argument ...   see the table in pickle.c
 *   2e                    the value on the stack is the result
 *
 * Values are views: of strings and arrays only the place is kept, however large
 * they are.  A dict or list appears in one place only (fetching one from the
 * memo is refused), so that a small file cannot have cycles or expand without
 * limit.
 */
#ifndef TN_WIRE_PICKLE_H
#define TN_WIRE_PICKLE_H

#include <tenon/dtype.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/memory.h"

#define TN_PICKLE_RANK_LIMIT 64
/* Longer strings are not read: only their place is known. */
#define TN_PICKLE_TEXT_LIMIT (UINT32_C(64) << 10)

enum tn_pickle_kind {
    TN_PICKLE_NONE,
    TN_PICKLE_BOOL,
    TN_PICKLE_INT,
    TN_PICKLE_REAL,
    TN_PICKLE_TEXT,
    TN_PICKLE_BYTES,
    TN_PICKLE_LIST,
    TN_PICKLE_TUPLE,
    TN_PICKLE_DICT,
    TN_PICKLE_ARRAY,
    TN_PICKLE_NAME, /* a constructor, not yet called; never in a result  */
    TN_PICKLE_DTYPE /* the type of an array                              */
};

/* A string or bytes.  Python 3 with protocol 2 writes bytes as text whose code
 * points are the bytes: then `is_latin1` is set, and the span is UTF-8. */
struct tn_pickle_string {
    struct tn_span  span;
    struct tn_bytes text; /* the same in memory, up to the limit above */
    bool            is_latin1;
};

struct tn_pickle_array {
    enum tn_dtype           dtype;
    bool                    is_big_endian;
    bool                    is_fortran;
    bool                    is_filled; /* built, not just reconstructed */
    uint32_t                rank;
    uint64_t               *dims;
    uint64_t                size; /* of the data, decoded                  */
    struct tn_pickle_string data;
};

struct tn_pickle {
    enum tn_pickle_kind kind;
    uint64_t            offset; /* of the opcode that made it */
    union {
        bool                    truth;
        int64_t                 integer;
        double                  real;
        struct tn_pickle_string string; /* text and bytes */
        struct tn_pickle_array  array;
        unsigned                name;
        struct {
            const struct tn_pickle **items; /* a dict: key, value, key, ... */
            uint64_t                 count, room;
        } list;
    } as;
};

/* Reads one pickle; the cursor is then after it.  The result lives in the
 * arena. */
enum tn_status tn_pickle_read(struct tn_cursor *c, struct tn_arena *arena,
                              const struct tn_pickle **result);

/* The value of a dict under that key, or NULL. */
const struct tn_pickle *tn_pickle_find_key(const struct tn_pickle *dict,
                                           struct tn_bytes         key);
const struct tn_pickle *tn_pickle_find(const struct tn_pickle *dict,
                                       const char             *key);

/* Text and bytes of up to TN_PICKLE_TEXT_LIMIT as they are in the file; empty
 * for everything else. */
struct tn_bytes tn_pickle_text(const struct tn_pickle *value);

/*
 * Writing, protocol 4, without a memo: begin, one value, end.  A value is a
 * dict (open, key, value, key, value, close), a text, or an array, whose data
 * goes between its head and its tail, in little-endian C order.
 */
void tn_pickle_begin(struct tn_buffer *to);
void tn_pickle_end(struct tn_buffer *to);
void tn_pickle_put_text(struct tn_buffer *to, struct tn_bytes text);
void tn_pickle_open_dict(struct tn_buffer *to);
void tn_pickle_close_dict(struct tn_buffer *to);
/* UNSUPPORTED for types that numpy does not have.  bfloat16 is written as u2,
 * which is what Paddle itself does. */
enum tn_status tn_pickle_array_head(struct tn_buffer *to, enum tn_dtype dtype,
                                    uint32_t rank, const uint64_t *dims);
void           tn_pickle_array_tail(struct tn_buffer *to);

#endif
