/*
 * pickle.h - what a Python pickle describes, without running any of it
 *
 * A pickle is a program for a stack machine.  This one imports nothing and
 * calls nothing: it knows numbers, strings, containers and numpy arrays, and
 * recognises the few constructors that these need by name and by the shape of
 * their arguments.
 *
 *   80 version            protocols from 2 on; 0 and 1 begin without it
 *   opcode argument ...   see the table in pickle.c
 *   2e                    the value on the stack is the result
 *
 * There are two ways to read one.  tn_pickle_read() takes data alone and
 * refuses every other opcode and name; a dict or list appears in one place
 * only, so that a small file cannot have cycles or expand without limit.
 * tn_pickle_describe() takes every opcode: a call becomes a value that says
 * what would be called with which arguments, and values may be shared, so that
 * the result may have cycles.
 *
 * Values are views: of strings and arrays only the position is kept, however
 * large they are.
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
    TN_PICKLE_NAME,  /* of a class or function; described pickles only    */
    TN_PICKLE_DTYPE, /* the type of an array                              */
    /* The rest is in described pickles only. */
    TN_PICKLE_LONG,       /* an integer of more than 64 bits: its bytes   */
    TN_PICKLE_SET,        /* also a frozenset                             */
    TN_PICKLE_CALL,       /* what a call would return                     */
    TN_PICKLE_PERSISTENT, /* something outside of the pickle, by its id   */
    TN_PICKLE_OUTSIDE,    /* an extension code, or a buffer: not in the file */
};

#define TN_PICKLE_KIND_COUNT (TN_PICKLE_OUTSIDE + 1)

/* A string or bytes.  Python 3 writes bytes as text up to protocol 2, whose code
 * points are the bytes: then `is_latin1` is set, and the span is UTF-8.  Lines of
 * protocol 0 may have escapes, and bytes from 0x80 on are code points; those of
 * Python 2 are bytes.  pickle_latin1.h decodes bytes. */
struct tn_pickle_string {
    struct tn_span  span;
    struct tn_bytes text; /* what it stands for, up to the limit above        */
    bool            is_latin1;
    bool            is_coded; /* the span is such a line                      */
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

struct tn_pickle;

/* A name that is imported.  `known` is the machine's own number for it. */
struct tn_pickle_name {
    struct tn_bytes module, name;
    unsigned        known;
};

/* The items of a list, tuple, set or dict (key, value, key, ...). */
struct tn_pickle_items {
    const struct tn_pickle **items;
    uint64_t                 count, room;
};

/* An object: made by calling `callee` with `args` (mostly a tuple), then given
 * items and a state, as far as the pickle has them. */
struct tn_pickle_call {
    const struct tn_pickle *callee, *args;
    const struct tn_pickle *state; /* NULL: none */
    struct tn_pickle_items  items;
    bool                    has_keys; /* the items are keys and values */
};

struct tn_pickle {
    enum tn_pickle_kind kind;
    uint64_t            offset; /* of the opcode that made it */
    union {
        bool                    truth;
        int64_t                 integer;
        double                  real;
        struct tn_pickle_string string; /* text, bytes, long integers */
        struct tn_pickle_array  array;
        struct tn_pickle_name   name;
        struct tn_pickle_items  list;
        struct tn_pickle_call   call;
        const struct tn_pickle *id; /* of what is outside */
    } as;
};

/* Reads one pickle; the cursor is then after it.  The result lives in the
 * arena. */
enum tn_status tn_pickle_read(struct tn_cursor *c, struct tn_arena *arena,
                              const struct tn_pickle **result);

/* Called for what a described pickle would do to the program that loads it.
 * Any of them may be NULL.  They have been called for all that comes before an
 * error. */
struct tn_pickle_watch {
    void *context;
    /* An import; `by` is the opcode. */
    void (*name)(void *context, uint64_t offset, const char *by,
                 const struct tn_pickle *name);
    /* A call, or a state or items that are given to an object of a class of its
     * own: `callee` is what is called, or the object. */
    void (*call)(void *context, uint64_t offset, const char *by,
                 const struct tn_pickle *callee, const struct tn_pickle *args);
    /* Something that the loading program looks up by an id. */
    void (*persistent)(void *context, uint64_t offset,
                       const struct tn_pickle *id);
    /* Something that data never contains: an extension code, a value of a wrong
     * kind. */
    void (*odd)(void *context, uint64_t offset, const char *by,
                const char *what);
    /* Bytes, or a string of Python 2. */
    void (*bytes)(void *context, const struct tn_pickle_string *bytes);
};

/* Reads one pickle of any protocol; `watch` may be NULL. */
enum tn_status tn_pickle_describe(struct tn_cursor *c, struct tn_arena *arena,
                                  const struct tn_pickle_watch *watch,
                                  const struct tn_pickle      **result);

/* Whether it is this name. */
bool tn_pickle_is_name(const struct tn_pickle *value, const char *module,
                       const char *name);

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
