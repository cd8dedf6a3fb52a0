/*
 * catalog_rows.h - the rows of a catalog, and a line of JSON for each
 *
 * A catalog has a row for each file, followed by a row for each of its tensors.
 * Lines of JSON, SQLite and Arrow are all made from the table of columns here.
 *
 *   {"row": "file", "file": "a.onnx", "etag": "...", "format": "onnx", ...}
 *   {"row": "tensor", "file": "a.onnx", ..., "tensor": 0, "name": "w", ...}
 *
 * Columns without a value are left out.  Files are in the order of the bytes of
 * their paths, tensors in the order of the file.
 */
#ifndef TN_ENGINE_CATALOG_ROWS_H
#define TN_ENGINE_CATALOG_ROWS_H

#include "base/buffer.h"
#include "base/cursor.h"

enum tn_catalog_kind {
    TN_CATALOG_NONE, /* of a value: there is none */
    TN_CATALOG_TEXT,
    TN_CATALOG_NUMBER, /* uint64_t */
    TN_CATALOG_REAL,   /* double */
    TN_CATALOG_LIST,   /* of uint64_t */
};

enum { TN_OF_FILE = 1, TN_OF_TENSOR = 2, TN_OF_BOTH = 3 };

/* X(NAME, name, kind, rows): docs/fleet.md explains them. */
#define TN_CATALOG_MAP(X)                                                      \
    X(FILE, "file", TEXT, BOTH)                                                \
    X(ETAG, "etag", TEXT, BOTH)                                                \
    X(FORMAT, "format", TEXT, BOTH)                                            \
    X(BYTES, "bytes", NUMBER, BOTH)                                            \
    X(SIZE, "size", NUMBER, FILE)                                              \
    X(STATUS, "status", TEXT, FILE)                                            \
    X(ERROR, "error", TEXT, FILE)                                              \
    X(ERROR_OFFSET, "error_offset", NUMBER, FILE)                              \
    X(DIALECT, "dialect", TEXT, FILE)                                          \
    X(NODES, "nodes", NUMBER, FILE)                                            \
    X(SIGNATURES, "signatures", NUMBER, FILE)                                  \
    X(TENSORS, "tensors", NUMBER, FILE)                                        \
    X(PARAMETERS, "parameters", NUMBER, FILE)                                  \
    X(PARTS, "parts", TEXT, FILE)                                              \
    X(VERDICT, "verdict", TEXT, FILE)                                          \
    X(PICKLES, "pickles", NUMBER, FILE)                                        \
    X(FINDINGS, "findings", NUMBER, FILE)                                      \
    X(FINDING, "finding", TEXT, FILE)                                          \
    X(MADE_BY, "made_by", TEXT, FILE)                                          \
    X(TENSOR, "tensor", NUMBER, TENSOR)                                        \
    X(NAME, "name", TEXT, TENSOR)                                              \
    X(TYPE, "type", TEXT, TENSOR)                                              \
    X(SHAPE, "shape", LIST, TENSOR)                                            \
    X(ELEMENTS, "elements", NUMBER, TENSOR)                                    \
    X(ROLE, "role", TEXT, TENSOR)                                              \
    X(STORAGE, "storage", TEXT, TENSOR)                                        \
    X(PLACE, "place", TEXT, TENSOR)                                            \
    X(OFFSET, "offset", NUMBER, TENSOR)                                        \
    X(STORED, "stored", NUMBER, TENSOR)                                        \
    X(SHA256, "sha256", TEXT, TENSOR)                                          \
    X(MIN, "min", REAL, TENSOR)                                                \
    X(MAX, "max", REAL, TENSOR)                                                \
    X(MEAN, "mean", REAL, TENSOR)                                              \
    X(DEVIATION, "deviation", REAL, TENSOR)                                    \
    X(ZEROS, "zeros", NUMBER, TENSOR)                                          \
    X(NANS, "nans", NUMBER, TENSOR)                                            \
    X(INFINITIES, "infinities", NUMBER, TENSOR)

enum tn_catalog_column {
#define X(id, name, kind, rows) TN_CATALOG_##id,
    TN_CATALOG_MAP(X)
#undef X
    TN_CATALOG_COLUMNS
};

struct tn_catalog_about {
    const char          *name;
    enum tn_catalog_kind kind;
    unsigned             rows; /* TN_OF_FILE, TN_OF_TENSOR or both           */
};
extern const struct tn_catalog_about tn_catalog_about[TN_CATALOG_COLUMNS];

struct tn_catalog_value {
    enum tn_catalog_kind kind;
    union {
        struct tn_bytes text;
        uint64_t        number;
        double          real;
        struct {
            const uint64_t *items;
            uint32_t        count;
        } list;
    };
};

struct tn_catalog_row {
    bool                    is_tensor;
    struct tn_catalog_value values[TN_CATALOG_COLUMNS];
};

static inline void tn_catalog_put_text(struct tn_catalog_row *row,
                                       enum tn_catalog_column column,
                                       struct tn_bytes        text)
{
    row->values[column] = (struct tn_catalog_value){
        .kind = TN_CATALOG_TEXT, .text = text
    };
}

static inline void tn_catalog_put_number(struct tn_catalog_row *row,
                                         enum tn_catalog_column column,
                                         uint64_t               number)
{
    row->values[column] = (struct tn_catalog_value){
        .kind = TN_CATALOG_NUMBER, .number = number
    };
}

/* NaN and infinities count as missing. */
void tn_catalog_put_real(struct tn_catalog_row *row,
                         enum tn_catalog_column column, double real);

/* Text or number of a column; empty or 0 if there is none. */
struct tn_bytes tn_catalog_text(const struct tn_catalog_row *row,
                                enum tn_catalog_column       column);
uint64_t        tn_catalog_number(const struct tn_catalog_row *row,
                                  enum tn_catalog_column       column);

/* Adds a line, with its end.  Texts must be UTF-8. */
void tn_catalog_write(const struct tn_catalog_row *row, struct tn_sink *to,
                      struct tn_error *error);

/* One line without its end, which is not trusted: MALFORMED if it is not a row.
 * Texts and lists are in the arena.  Names that are not columns are skipped. */
enum tn_status tn_catalog_read(struct tn_catalog_row *row,
                               struct tn_arena *arena, struct tn_bytes line,
                               uint64_t offset, struct tn_error *error);

/* ---- the groups of a file of lines ----------------------------------------
 *
 * A group is the row of a file and as many rows of tensors as it says.  Walks
 * over the lines of a catalog without reading the rows of tensors. */
struct tn_catalog_groups {
    struct tn_source *source;
    struct tn_arena   arena; /* of the row                                    */
    uint64_t          next;  /* where the next group begins                   */
    uint64_t          begin, first, end; /* of this group; first tensor       */
    struct tn_catalog_row row;           /* of the file                       */
    struct tn_arena       last_arena;
    struct tn_bytes       last; /* the path before                            */
};

void tn_catalog_groups_init(struct tn_catalog_groups *groups,
                            struct tn_memory *memory, struct tn_source *source);
void tn_catalog_groups_done(struct tn_catalog_groups *groups);

/* The next whole group; false at the end, where an incomplete group may be, and
 * after a failure.  MALFORMED if a line is no row or files are not in order. */
bool tn_catalog_groups_next(struct tn_catalog_groups *groups,
                            struct tn_error          *error);

/* The bytes of the line that begins at an offset, without its end; false if
 * there is no whole line.  Borrowed until the source is closed. */
bool tn_catalog_line(struct tn_source *source, uint64_t offset,
                     struct tn_bytes *line, struct tn_error *error);

#endif
