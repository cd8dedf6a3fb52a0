/* st_header.c - reading headers of safetensors files; st_header.h has the map
 */
#include "format/safetensors/st_header.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/intern.h"
#include "base/json_read.h"
#include "base/number.h"
#include "base/sort.h"

#define LENGTH_SIZE 8

/* clang-format off */
const struct tn_st_type tn_st_types[] = {
    { "BOOL",        TN_BOOL,           8 },
    { "F4",          TN_FLOAT4E2M1,     4 },
    { "F6_E2M3",     TN_UNDEFINED,      6 },
    { "F6_E3M2",     TN_UNDEFINED,      6 },
    { "U8",          TN_UINT8,          8 },
    { "I8",          TN_INT8,           8 },
    { "F8_E5M2",     TN_FLOAT8E5M2,     8 },
    { "F8_E4M3",     TN_FLOAT8E4M3FN,   8 },
    { "F8_E8M0",     TN_FLOAT8E8M0,     8 },
    { "F8_E4M3FNUZ", TN_FLOAT8E4M3FNUZ, 8 },
    { "F8_E5M2FNUZ", TN_FLOAT8E5M2FNUZ, 8 },
    { "I16",         TN_INT16,          16 },
    { "U16",         TN_UINT16,         16 },
    { "F16",         TN_FLOAT16,        16 },
    { "BF16",        TN_BFLOAT16,       16 },
    { "I32",         TN_INT32,          32 },
    { "U32",         TN_UINT32,         32 },
    { "F32",         TN_FLOAT32,        32 },
    { "C64",         TN_COMPLEX64,      64 },
    { "F64",         TN_FLOAT64,        64 },
    { "I64",         TN_INT64,          64 },
    { "U64",         TN_UINT64,         64 },
};
/* clang-format on */

const unsigned tn_st_type_count = sizeof tn_st_types / sizeof tn_st_types[0];

static const struct tn_st_type *find_type(struct tn_bytes name)
{
    for (unsigned i = 0; i < tn_st_type_count; i++)
        if (tn_bytes_is(name, tn_st_types[i].name))
            return &tn_st_types[i];
    return NULL;
}

void tn_st_file_init(struct tn_st_file *file, struct tn_memory *memory)
{
    *file = (struct tn_st_file){ 0 };
    tn_list_init(&file->tensors, memory, sizeof(struct tn_st_tensor));
    tn_list_init(&file->metadata, memory, sizeof(struct tn_st_pair));
}

void tn_st_file_done(struct tn_st_file *file)
{
    tn_list_done(&file->tensors);
    tn_list_done(&file->metadata);
}

/* ---- complaints --------------------------------------------------------- */

struct reader {
    struct tn_st_file    *file;
    struct tn_arena      *arena;
    struct tn_report     *report; /* NULL: the first defect fails             */
    struct tn_error      *error;
    struct tn_cursor      cursor;
    struct tn_json_reader json;
    struct tn_intern      names;
    uint64_t              dims[TN_ST_RANK_LIMIT];
};

#define COMPLAIN(r, flaw, ...)                                                 \
    tn_report_flaw((r)->report, flaw, (r)->file->source->name, (r)->error,     \
                   __VA_ARGS__)

/* ---- the header --------------------------------------------------------- */

/* The header as a cursor; every later byte is data. */
static void open_header(struct reader *r)
{
    struct tn_source *source = r->file->source;
    struct tn_cursor  c =
        tn_cursor_span((struct tn_span){ source, 0, source->size }, r->error);
    uint64_t length = tn_u64(&c);

    if (!tn_failed(r->error) && length > TN_ST_HEADER_LIMIT)
        tn_fail_at(&c, 0, TN_LIMIT,
                   "a header of %" PRIu64 " bytes, limit %" PRIu64, length,
                   TN_ST_HEADER_LIMIT);
    if (!tn_failed(r->error))
        tn_source_expect(source, LENGTH_SIZE, length);
    r->cursor     = tn_sub(&c, length);
    r->file->data = c.offset;
    if (tn_failed(r->error))
        return;
    struct tn_cursor ahead = r->cursor;
    uint8_t          first = tn_u8(&ahead);
    if (!tn_failed(r->error) && first != '{')
        tn_fail_at(&r->cursor, LENGTH_SIZE, TN_MALFORMED,
                   "the header begins with byte 0x%02x, not with '{'", first);
}

/* Digits alone: 3, but not 3.0, 3e0 or "3". */
static uint64_t number(struct reader *r, enum tn_json_event event)
{
    struct tn_bytes text     = r->json.text;
    bool            is_whole = event == TN_JSON_NUMBER;

    for (size_t i = 0; i < text.size; i++)
        is_whole = is_whole && text.data[i] >= '0' && text.data[i] <= '9';
    if (is_whole)
        return tn_json_uint64(&r->json);
    if (!tn_failed(r->error))
        tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                   "a number from 0 on was expected");
    return 0;
}

static struct tn_bytes keep(struct reader *r)
{
    return tn_bytes_dup(r->arena, r->json.text, r->error);
}

static void read_metadata(struct reader *r)
{
    if (!tn_json_expect(&r->json, TN_JSON_OBJECT_BEGIN, "an object of texts"))
        return;
    while (tn_json_next(&r->json) == TN_JSON_KEY) {
        struct tn_st_pair *pair =
            tn_list_push(&r->file->metadata, struct tn_st_pair, r->error);
        if (!pair)
            return;
        pair->key = keep(r);
        if (!tn_json_expect(&r->json, TN_JSON_STRING, "a text"))
            return;
        pair->value = keep(r);
    }
}

static void read_type(struct reader *r, struct tn_st_tensor *t)
{
    if (!tn_json_expect(&r->json, TN_JSON_STRING, "the name of a type"))
        return;
    t->type = find_type(r->json.text);
    if (!t->type)
        COMPLAIN(r,
                 TN_FLAW(TN_UNSUPPORTED, TN_LEVEL_ERROR, "unknown-dtype",
                         r->json.offset, t->name),
                 "elements of type '%.*s'", TN_FMT(r->json.text));
    else if (t->type->dtype == TN_UNDEFINED)
        COMPLAIN(r,
                 TN_FLAW(TN_UNSUPPORTED, TN_LEVEL_ERROR, "unsupported-dtype",
                         r->json.offset, t->name),
                 "elements of %u bits, type %s", t->type->bits, t->type->name);
}

static void read_shape(struct reader *r, struct tn_st_tensor *t)
{
    enum tn_json_event event;

    t->rank = 0;
    if (!tn_json_expect(&r->json, TN_JSON_ARRAY_BEGIN, "a shape"))
        return;
    while ((event = tn_json_next(&r->json)) != TN_JSON_ARRAY_END &&
           !tn_failed(r->error)) {
        uint64_t dim = number(r, event);
        if (t->rank == TN_ST_RANK_LIMIT) {
            tn_fail_at(&r->cursor, r->json.offset, TN_LIMIT,
                       "rank past the limit of %d", TN_ST_RANK_LIMIT);
            return;
        }
        r->dims[t->rank++] = dim;
    }
    uint64_t *dims = tn_new(r->arena, uint64_t, t->rank, r->error);
    if (dims && t->rank)
        memcpy(dims, r->dims, t->rank * sizeof *dims);
    t->dims = dims;
}

static void read_range(struct reader *r, struct tn_st_tensor *t)
{
    if (!tn_json_expect(&r->json, TN_JSON_ARRAY_BEGIN, "a pair of offsets"))
        return;
    t->begin = number(r, tn_json_next(&r->json));
    t->end   = number(r, tn_json_next(&r->json));
    tn_json_expect(&r->json, TN_JSON_ARRAY_END, "the end of a pair");
}

enum field { FIELD_TYPE = 1, FIELD_SHAPE = 2, FIELD_RANGE = 4, FIELD_ALL = 7 };

static unsigned read_field(struct reader *r, struct tn_st_tensor *t)
{
    if (tn_bytes_is(r->json.text, "dtype")) {
        read_type(r, t);
        return FIELD_TYPE;
    }
    if (tn_bytes_is(r->json.text, "shape")) {
        read_shape(r, t);
        return FIELD_SHAPE;
    }
    if (tn_bytes_is(r->json.text, "data_offsets")) {
        read_range(r, t);
        return FIELD_RANGE;
    }
    COMPLAIN(r,
             TN_FLAW(TN_MALFORMED, TN_LEVEL_WARNING, "unknown-key",
                     r->json.offset, t->name),
             "a key '%.*s' that the format does not have",
             TN_FMT(r->json.text));
    tn_json_skip(&r->json);
    return 0;
}

/* A key occurs twice: readers differ in which one they use. */
static unsigned read_fields(struct reader *r, struct tn_st_tensor *t)
{
    unsigned seen = 0;

    while (tn_json_next(&r->json) == TN_JSON_KEY) {
        uint64_t place = r->json.offset;
        unsigned field = read_field(r, t);
        if (seen & field)
            COMPLAIN(r,
                     TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "duplicate-key",
                             place, t->name),
                     "a key twice");
        seen |= field;
    }
    return seen;
}

static bool is_new_name(struct reader *r, const struct tn_st_tensor *t)
{
    uint32_t known = tn_intern_count(&r->names);

    if (tn_intern_borrow(&r->names, t->name, r->error) == known)
        return true;
    if (!tn_failed(r->error))
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "duplicate-name",
                         t->wire.offset, t->name),
                 "a second tensor of this name");
    return false;
}

static void read_tensor(struct reader *r)
{
    struct tn_st_tensor t = { .wire = { r->file->source, r->json.offset, 0 } };

    t.name = keep(r);
    if (tn_failed(r->error) ||
        !tn_json_expect(&r->json, TN_JSON_OBJECT_BEGIN,
                        "an object that describes a tensor"))
        return;
    unsigned seen = read_fields(r, &t);
    t.wire.length = r->cursor.offset - t.wire.offset;
    if (!tn_failed(r->error) && seen != FIELD_ALL)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "missing-key",
                         t.wire.offset, t.name),
                 "dtype, shape or data_offsets is missing");
    if (tn_failed(r->error) || !is_new_name(r, &t) || seen != FIELD_ALL ||
        !t.type)
        return;
    struct tn_st_tensor *row =
        tn_list_push(&r->file->tensors, struct tn_st_tensor, r->error);
    if (row)
        *row = t;
}

static void read_entries(struct reader *r)
{
    bool has_metadata = false;

    if (!tn_json_expect(&r->json, TN_JSON_OBJECT_BEGIN, "an object"))
        return;
    while (tn_json_next(&r->json) == TN_JSON_KEY) {
        if (!tn_bytes_is(r->json.text, TN_ST_METADATA)) {
            read_tensor(r);
            continue;
        }
        if (has_metadata)
            COMPLAIN(r,
                     TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "duplicate-key",
                             r->json.offset, tn_text(TN_ST_METADATA)),
                     "a key twice");
        has_metadata = true;
        read_metadata(r);
    }
    tn_json_expect(&r->json, TN_JSON_END, "nothing but spaces");
}

/* ---- the layout --------------------------------------------------------- */

static bool is_before(const void *a, const void *b)
{
    const struct tn_st_tensor *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin;
    if (x->end != y->end)
        return x->end < y->end;
    return x->wire.offset < y->wire.offset;
}

bool tn_st_size(const struct tn_st_type *type, uint32_t rank,
                const uint64_t *dims, uint64_t *size)
{
    uint64_t count = 1, bits;

    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] > INT64_MAX || !tn_mul(count, dims[i], &count))
            return false;
    if (type->bits >= 8)
        return tn_mul(count, type->bits / 8, size);
    if (!tn_mul(count, type->bits, &bits) || bits % 8)
        return false;
    *size = bits / 8;
    return true;
}

static void check_size(struct reader *r, const struct tn_st_tensor *t)
{
    uint64_t size, place = t->wire.offset;

    if (t->end < t->begin)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "reversed-range", place,
                         t->name),
                 "data from %" PRIu64 " to %" PRIu64, t->begin, t->end);
    else if (!tn_st_size(t->type, t->rank, t->dims, &size))
        COMPLAIN(
            r,
            TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "wrong-size", place, t->name),
            "a shape of %s elements that no number of bytes holds",
            t->type->name);
    else if (t->end - t->begin != size)
        COMPLAIN(
            r,
            TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "wrong-size", place, t->name),
            "%" PRIu64 " bytes of data, shape and type need %" PRIu64,
            t->end - t->begin, size);
    else if (t->type->bits >= 8 &&
             (r->file->data + t->begin) % (t->type->bits / 8))
        COMPLAIN(
            r,
            TN_FLAW(TN_MALFORMED, TN_LEVEL_NOTE, "unaligned", place, t->name),
            "data at byte %" PRIu64 ", not at a multiple of %u",
            r->file->data + t->begin, t->type->bits / 8);
}

/* The safety argument: in the order of their data, each tensor begins where
 * the one before ended, and the last ends where the file does. */
static void prove_layout(struct reader *r, const struct tn_st_tensor **sorted)
{
    uint64_t count = r->file->tensors.count, at = 0;
    uint64_t size = r->file->source->size - r->file->data;

    for (uint64_t i = 0; i < count && !tn_failed(r->error); i++) {
        const struct tn_st_tensor *t = sorted[i];
        check_size(r, t);
        if (t->begin != at)
            COMPLAIN(r,
                     t->begin < at ? TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR,
                                             "overlap", t->wire.offset, t->name)
                                   : TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR,
                                             "hole", t->wire.offset, t->name),
                     "data begin at %" PRIu64 ", those before end at %" PRIu64,
                     t->begin, at);
        at = tn_max(at, t->end);
    }
    if (at > size)
        COMPLAIN(r,
                 TN_FLAW(TN_TRUNCATED, TN_LEVEL_ERROR, "truncated-data",
                         r->file->source->size, tn_text("")),
                 "need %" PRIu64 " bytes of data, the file has %" PRIu64, at,
                 size);
    else if (at < size)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "trailing-data",
                         r->file->data + at, tn_text("")),
                 "%" PRIu64 " bytes that belong to no tensor", size - at);
}

static void check_layout(struct reader *r)
{
    uint64_t                    count = r->file->tensors.count;
    struct tn_arena             scratch;
    const struct tn_st_tensor **sorted;

    if (tn_failed(r->error))
        return;
    tn_arena_init(&scratch, r->arena->memory);
    sorted = tn_new(&scratch, const struct tn_st_tensor *, count, r->error);
    if (sorted) {
        for (uint64_t i = 0; i < count; i++)
            sorted[i] = tn_list_at(&r->file->tensors, struct tn_st_tensor, i);
        tn_sort((const void **)(void *)sorted, count, is_before);
        prove_layout(r, sorted);
    }
    tn_arena_done(&scratch);
}

enum tn_status tn_st_file_read(struct tn_st_file *file,
                               struct tn_source *source, struct tn_arena *arena,
                               struct tn_report *report, struct tn_error *error)
{
    struct reader r = {
        .file = file, .arena = arena, .report = report, .error = error
    };

    file->source = source;
    open_header(&r);
    if (tn_failed(error))
        return error->status;
    tn_intern_init(&r.names, arena);
    tn_json_open(&r.json, &r.cursor, arena->memory);
    read_entries(&r);
    check_layout(&r);
    tn_json_close(&r.json);
    tn_intern_done(&r.names);
    return error->status;
}
