/* catalog_rows.c - the rows of a catalog as lines of JSON, and back */
#include "engine/catalog_rows.h"

#include <math.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/utf8.h"

/* No line of ours is longer, unless a name is. */
#define LINE_LIMIT (UINT64_C(64) << 20)

/* Of a shape: more than any format allows. */
#define RANK_LIMIT 1024

const struct tn_catalog_about tn_catalog_about[TN_CATALOG_COLUMNS] = {
#define X(id, name, kind, rows) { name, TN_CATALOG_##kind, TN_OF_##rows },
    TN_CATALOG_MAP(X)
#undef X
};

void tn_catalog_put_real(struct tn_catalog_row *row,
                         enum tn_catalog_column column, double real)
{
    if (isfinite(real))
        row->values[column] = (struct tn_catalog_value){
            .kind = TN_CATALOG_REAL, .real = real
        };
}

struct tn_bytes tn_catalog_text(const struct tn_catalog_row *row,
                                enum tn_catalog_column       column)
{
    const struct tn_catalog_value *value = &row->values[column];

    return value->kind == TN_CATALOG_TEXT ? value->text : tn_bytes(NULL, 0);
}

uint64_t tn_catalog_number(const struct tn_catalog_row *row,
                           enum tn_catalog_column       column)
{
    const struct tn_catalog_value *value = &row->values[column];

    return value->kind == TN_CATALOG_NUMBER ? value->number : 0;
}

/* ---- writing -------------------------------------------------------------- */

static void write_value(struct tn_json_writer         *json,
                        const struct tn_catalog_value *value)
{
    switch (value->kind) {
    case TN_CATALOG_NONE: break;
    case TN_CATALOG_TEXT: tn_json_string(json, value->text); break;
    case TN_CATALOG_NUMBER: tn_json_put_uint64(json, value->number); break;
    case TN_CATALOG_REAL: tn_json_put_double(json, value->real); break;
    case TN_CATALOG_LIST:
        tn_json_array_begin(json);
        for (uint32_t i = 0; i < value->list.count; i++)
            tn_json_put_uint64(json, value->list.items[i]);
        tn_json_array_end(json);
        break;
    }
}

void tn_catalog_write(const struct tn_catalog_row *row, struct tn_sink *to,
                      struct tn_error *error)
{
    struct tn_json_writer json;

    tn_json_writer_init(&json, to, false, error);
    tn_json_object_begin(&json);
    tn_json_key(&json, "row");
    tn_json_text(&json, row->is_tensor ? "tensor" : "file");
    for (int i = 0; i < TN_CATALOG_COLUMNS; i++) {
        if (row->values[i].kind == TN_CATALOG_NONE)
            continue;
        tn_json_key(&json, tn_catalog_about[i].name);
        write_value(&json, &row->values[i]);
    }
    tn_json_object_end(&json);
    if (!tn_failed(error))
        tn_sink_write(to, tn_text("\n"), error);
}

/* ---- reading -------------------------------------------------------------- */

static void read_list(struct tn_json_reader   *json,
                      struct tn_catalog_value *value, struct tn_arena *arena)
{
    struct tn_error *error = json->cursor->error;
    uint64_t         dims[RANK_LIMIT];
    uint32_t         count = 0;
    enum tn_json_event event;

    while ((event = tn_json_next(json)) == TN_JSON_NUMBER) {
        if (count == RANK_LIMIT) {
            tn_error_set(error, TN_MALFORMED, json->offset,
                         "a shape of more than %d numbers", RANK_LIMIT);
            return;
        }
        dims[count++] = tn_json_uint64(json);
    }
    if (event != TN_JSON_ARRAY_END) {
        tn_error_set(error, TN_MALFORMED, json->offset,
                     "a shape is a list of numbers");
        return;
    }
    uint64_t *items = tn_new(arena, uint64_t, count + 1, error);
    if (!items)
        return;
    memcpy(items, dims, count * sizeof *items);
    value->kind       = TN_CATALOG_LIST;
    value->list.items = items;
    value->list.count = count;
}

/* The event that a value of a kind begins with. */
static enum tn_json_event event_of(enum tn_catalog_kind kind)
{
    switch (kind) {
    case TN_CATALOG_TEXT: return TN_JSON_STRING;
    case TN_CATALOG_LIST: return TN_JSON_ARRAY_BEGIN;
    case TN_CATALOG_NONE:
    case TN_CATALOG_NUMBER:
    case TN_CATALOG_REAL: break;
    }
    return TN_JSON_NUMBER;
}

static void read_value(struct tn_json_reader *json, struct tn_catalog_row *row,
                       int column, struct tn_arena *arena)
{
    struct tn_catalog_value       *value = &row->values[column];
    const struct tn_catalog_about *about = &tn_catalog_about[column];
    enum tn_json_event             event = tn_json_next(json);

    if (event == TN_JSON_NULL || event == TN_JSON_END)
        return;
    if (event != event_of(about->kind)) {
        tn_error_set(json->cursor->error, TN_MALFORMED, json->offset,
                     "'%s' has a value of another kind", about->name);
        return;
    }
    value->kind = about->kind;
    if (about->kind == TN_CATALOG_TEXT)
        value->text = tn_bytes_dup(arena, json->text, json->cursor->error);
    else if (about->kind == TN_CATALOG_NUMBER)
        value->number = tn_json_uint64(json);
    else if (about->kind == TN_CATALOG_REAL)
        tn_catalog_put_real(row, (enum tn_catalog_column)column,
                            tn_json_double(json));
    else
        read_list(json, value, arena);
}

static int column_named(struct tn_bytes name)
{
    for (int i = 0; i < TN_CATALOG_COLUMNS; i++)
        if (tn_bytes_is(name, tn_catalog_about[i].name))
            return i;
    return -1;
}

/* Whether a column may have a value in such a row. */
static bool belongs(const struct tn_catalog_row *row, int column)
{
    return tn_catalog_about[column].rows &
           (unsigned)(row->is_tensor ? TN_OF_TENSOR : TN_OF_FILE);
}

static enum tn_status read_kind(struct tn_json_reader *json,
                                struct tn_catalog_row *row)
{
    if (tn_json_next(json) == TN_JSON_OBJECT_BEGIN &&
        tn_json_next(json) == TN_JSON_KEY && tn_bytes_is(json->text, "row") &&
        tn_json_next(json) == TN_JSON_STRING) {
        row->is_tensor = tn_bytes_is(json->text, "tensor");
        if (row->is_tensor || tn_bytes_is(json->text, "file"))
            return TN_OK;
    }
    return tn_error_set(json->cursor->error, TN_MALFORMED, json->offset,
                        "not a row of a catalog, which begins with "
                        "{\"row\": \"file\" or {\"row\": \"tensor\"");
}

static void read_columns(struct tn_json_reader *json,
                         struct tn_catalog_row *row, struct tn_arena *arena)
{
    while (tn_json_next(json) == TN_JSON_KEY) {
        int column = column_named(json->text);
        if (column < 0 || !belongs(row, column))
            tn_json_skip(json);
        else
            read_value(json, row, column, arena);
    }
    tn_json_next(json); /* nothing may follow */
}

enum tn_status tn_catalog_read(struct tn_catalog_row *row,
                               struct tn_arena *arena, struct tn_bytes line,
                               uint64_t offset, struct tn_error *error)
{
    struct tn_cursor      cursor = { .at     = line.data,
                                     .end    = line.data + line.size,
                                     .offset = offset,
                                     .error  = error };
    struct tn_json_reader json;

    *row = (struct tn_catalog_row){ 0 };
    tn_json_open(&json, &cursor, arena->memory);
    if (read_kind(&json, row) == TN_OK)
        read_columns(&json, row, arena);
    tn_json_close(&json);
    if (!tn_failed(error) && tn_catalog_text(row, TN_CATALOG_FILE).size == 0)
        tn_error_set(error, TN_MALFORMED, offset, "a row without 'file'");
    return error->status;
}

/* ---- groups --------------------------------------------------------------- */

bool tn_catalog_line(struct tn_source *source, uint64_t offset,
                     struct tn_bytes *line, struct tn_error *error)
{
    uint64_t want = 4096;

    while (offset < source->size) {
        uint64_t left = source->size - offset;
        uint64_t got  = 0;
        want          = want < left ? want : left;
        const uint8_t *bytes =
            tn_source_window(source, offset, want, want, &got, error);
        if (!bytes)
            return false;
        const uint8_t *end = memchr(bytes, '\n', (size_t)got);
        if (end) {
            *line = tn_bytes(bytes, (size_t)(end - bytes));
            return true;
        }
        if (want == left)
            return false;
        if (want >= LINE_LIMIT) {
            tn_error_set(error, TN_MALFORMED, offset,
                         "a line of more than %d MiB",
                         (int)(LINE_LIMIT >> 20));
            return false;
        }
        want *= 8;
    }
    return false;
}

void tn_catalog_groups_init(struct tn_catalog_groups *groups,
                            struct tn_memory *memory, struct tn_source *source)
{
    *groups = (struct tn_catalog_groups){ .source = source };
    tn_arena_init(&groups->arena, memory);
    tn_arena_init(&groups->last_arena, memory);
}

void tn_catalog_groups_done(struct tn_catalog_groups *groups)
{
    tn_arena_done(&groups->arena);
    tn_arena_done(&groups->last_arena);
}

static bool is_in_order(struct tn_catalog_groups *g, struct tn_error *error)
{
    struct tn_bytes path = tn_catalog_text(&g->row, TN_CATALOG_FILE);

    if (g->row.is_tensor)
        tn_error_set(error, TN_MALFORMED, g->begin,
                     "the row of a tensor where one of a file should be");
    else if (g->last.data && tn_bytes_compare(g->last, path) >= 0)
        tn_error_set(error, TN_MALFORMED, g->begin,
                     "files are not in the order of their paths; give parts "
                     "of a catalog as several arguments");
    tn_arena_rewind(&g->last_arena);
    g->last = tn_bytes_dup(&g->last_arena, path, error);
    return !tn_failed(error);
}

/* Steps over the rows of its tensors.  False: the file ends before. */
static bool skip_tensors(struct tn_catalog_groups *g, struct tn_error *error)
{
    uint64_t        count = tn_catalog_number(&g->row, TN_CATALOG_TENSORS);
    struct tn_bytes line;

    g->end = g->first;
    for (uint64_t i = 0; i < count; i++) {
        if (!tn_catalog_line(g->source, g->end, &line, error))
            return false;
        if (!tn_bytes_starts_with(line, "{\"row\": \"tensor\",")) {
            tn_error_set(error, TN_MALFORMED, g->end,
                         "the file has fewer rows of tensors than it says");
            return false;
        }
        g->end += line.size + 1;
    }
    return true;
}

bool tn_catalog_groups_next(struct tn_catalog_groups *g,
                            struct tn_error          *error)
{
    struct tn_bytes line;

    if (tn_failed(error) ||
        !tn_catalog_line(g->source, g->next, &line, error))
        return false;
    tn_arena_rewind(&g->arena);
    g->begin = g->next;
    g->first = g->begin + line.size + 1;
    if (tn_catalog_read(&g->row, &g->arena, line, g->begin, error) != TN_OK ||
        !is_in_order(g, error) || !skip_tensors(g, error))
        return false;
    g->next = g->end;
    return true;
}
