/*
 * gguf_header.h - everything of a GGUF file before its data
 *
 *   "GGUF"
 *   u32   version         1, 2 or 3
 *   size  tensor_count
 *   size  pair_count
 *   pairs                 text key, u32 type, value
 *   tensors               text name, u32 rank, size dims[rank] (the fastest
 *                         first), u32 type, u64 offset in the data
 *   zeros                 up to a multiple of the alignment, if there are
 *                         tensors
 *   data                  each tensor at a multiple of the alignment
 *
 * A text is a size and bytes.  A size is a u64, in version 1 a u32.  Values of
 * pairs are numbers, texts, or arrays: u32 type, size count, elements.  If the
 * lower half of the version is zero, the file is big-endian, except for the
 * magic.
 */
#ifndef TN_FORMAT_GGUF_HEADER_H
#define TN_FORMAT_GGUF_HEADER_H

#include "base/cursor.h"
#include "base/memory.h"
#include "base/report.h"
#include "ir/payload.h"

#define TN_GGUF_MAGIC     "GGUF"
#define TN_GGUF_VERSION   3
#define TN_GGUF_ALIGNMENT 32
#define TN_GGUF_RANK_MAX  4
#define TN_GGUF_NAME_MAX  63 /* that ggml takes                              */
#define TN_GGUF_DEPTH_MAX 8  /* of arrays in arrays                          */

/* ---- types of values ----------------------------------------------------- */

enum tn_gguf_value_type {
    TN_GGUF_UINT8,
    TN_GGUF_INT8,
    TN_GGUF_UINT16,
    TN_GGUF_INT16,
    TN_GGUF_UINT32,
    TN_GGUF_INT32,
    TN_GGUF_FLOAT32,
    TN_GGUF_BOOL,
    TN_GGUF_STRING,
    TN_GGUF_ARRAY,
    TN_GGUF_UINT64,
    TN_GGUF_INT64,
    TN_GGUF_FLOAT64,
    TN_GGUF_VALUE_TYPES
};

/* "uint8"; "type 13" is not one: NULL. */
const char *tn_gguf_value_name(uint32_t type);

/* Bytes of a number; 0 for texts and arrays. */
unsigned tn_gguf_value_size(uint32_t type);

/* ---- types of tensors ---------------------------------------------------- */

/* Elements of a dtype, or blocks. */
struct tn_gguf_type {
    const char   *name;  /* "f32", "q4_K"                                     */
    enum tn_dtype dtype; /* TN_UNDEFINED: the number was removed from ggml    */
    unsigned      kind;  /* enum tn_block_kind; TN_BLOCK_COUNT: no blocks     */
};

/* NULL for a number that no version of ggml had. */
const struct tn_gguf_type *tn_gguf_type(uint32_t number);

/* The number of the type for elements of a dtype, or for blocks; UINT32_MAX if
 * there is none. */
uint32_t tn_gguf_type_of(enum tn_dtype dtype);
uint32_t tn_gguf_type_of_blocks(unsigned kind);

/* The number of the type of a payload. */
uint32_t tn_gguf_type_of_elements(const struct tn_elements *elements);

/* ---- the parsed header --------------------------------------------------- */

struct tn_gguf_pair {
    struct tn_bytes key;
    uint32_t        type;
    uint32_t        element; /* arrays: the type of the elements              */
    uint64_t        count;   /* arrays: how many                              */
    uint64_t        bits;    /* numbers: the value, zero-extended             */
    struct tn_span  value;   /* the bytes of a text, the elements of an array,
                                the bytes of a number                         */
    struct tn_span wire;     /* all of it, from the key on                    */
};

struct tn_gguf_tensor {
    struct tn_bytes            name;
    const struct tn_gguf_type *type;
    struct tn_shape            shape; /* in C order: the fastest last         */
    uint64_t                   dims[TN_GGUF_RANK_MAX];
    uint64_t                   offset; /* in the data                         */
    uint64_t                   size;
    struct tn_span             wire;
};

struct tn_gguf_file {
    struct tn_source *source;
    uint32_t          version;
    bool              is_big;
    uint32_t          alignment;
    uint64_t          data;    /* where the data begin                        */
    uint64_t          header;  /* where the list of tensors ends              */
    struct tn_list    pairs;   /* struct tn_gguf_pair                         */
    struct tn_list    tensors; /* struct tn_gguf_tensor                       */
};

void tn_gguf_file_init(struct tn_gguf_file *file, struct tn_memory *memory);
void tn_gguf_file_done(struct tn_gguf_file *file);

/* Reads the header.  Without a report, the first contradiction is an error; with
 * one, what can be stepped over is a finding.  Keys and names point into the
 * source. */
enum tn_status tn_gguf_file_read(struct tn_gguf_file *file,
                                 struct tn_source    *source,
                                 struct tn_memory    *memory,
                                 struct tn_report    *report,
                                 struct tn_error     *error);

/* The pair of that key; NULL if there is none. */
const struct tn_gguf_pair *tn_gguf_find(const struct tn_gguf_file *file,
                                        const char                *key);

/* The value of an integer, of any type; false if it is not one. */
bool tn_gguf_integer(const struct tn_gguf_pair *pair, int64_t *value);

/* ---- elements of arrays --------------------------------------------------- */

/* Walks the elements of an array, and of arrays in it, in constant memory.
 * `element` is called for each number and each text: numbers have `bits`, texts
 * a span.  `open` and `close` are called for arrays in arrays, and may be
 * NULL. */
struct tn_gguf_walk {
    void *context;
    enum tn_status (*element)(void *context, uint32_t type, uint64_t bits,
                              struct tn_span text, struct tn_error *error);
    enum tn_status (*open)(void *context, uint32_t type, uint64_t count,
                           struct tn_error *error);
    enum tn_status (*close)(void *context, struct tn_error *error);
};

/* `limit` elements at most.  *end, if not NULL: where the array ends. */
enum tn_status tn_gguf_walk_array(const struct tn_gguf_file *file,
                                  uint32_t element, uint64_t count,
                                  struct tn_span elements, uint64_t limit,
                                  const struct tn_gguf_walk *walk,
                                  struct tn_memory *memory, uint64_t *end,
                                  struct tn_error *error);

#endif
