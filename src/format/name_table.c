/* name_table.c - names of tensors, mapped by a table that the user wrote */
#include "format/name_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "io/bundle.h"

#define FILE_LIMIT (UINT64_C(16) << 20)
#define STARS_MAX  8

/* A line with a '*'. */
struct row {
    struct tn_bytes from, to;
};

void tn_name_table_init(struct tn_name_table *table, struct tn_memory *memory)
{
    tn_arena_init(&table->arena, memory);
    tn_list_init(&table->rows, memory, sizeof(struct row));
    tn_list_init(&table->targets, memory, sizeof(struct tn_bytes));
    tn_intern_init(&table->plain, &table->arena);
}

void tn_name_table_done(struct tn_name_table *table)
{
    tn_intern_done(&table->plain);
    tn_list_done(&table->targets);
    tn_list_done(&table->rows);
    tn_arena_done(&table->arena);
}

/* ---- lines ------------------------------------------------------------------ */

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static struct tn_bytes take_word(struct tn_bytes *line)
{
    size_t size = 0;

    while (line->size && is_blank(*line->data)) {
        line->data++;
        line->size--;
    }
    struct tn_bytes word = { line->data, 0 };
    while (size < line->size && !is_blank(line->data[size]))
        size++;
    word.size = size;
    line->data += size;
    line->size -= size;
    return word;
}

static unsigned count_stars(struct tn_bytes text)
{
    unsigned count = 0;

    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == '*';
    return count;
}

static void add_plain(struct tn_name_table *table, struct tn_bytes from,
                      struct tn_bytes to, struct tn_error *error)
{
    uint32_t known = tn_intern_count(&table->plain);

    if (tn_intern_copy(&table->plain, from, error) != known)
        return; /* the first line counts */
    struct tn_bytes *target =
        tn_list_push(&table->targets, struct tn_bytes, error);
    if (target)
        *target = tn_bytes_dup(&table->arena, to, error);
}

static enum tn_status add_line(struct tn_name_table *table,
                               struct tn_bytes line, uint64_t number,
                               struct tn_error *error)
{
    struct tn_bytes from = take_word(&line), to = take_word(&line);
    struct tn_bytes more  = take_word(&line);
    unsigned        stars = count_stars(from);

    if (!from.size || from.data[0] == '#')
        return TN_OK;
    if (!to.size || more.size)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "line %" PRIu64 ": expected two names, OLD NEW",
                            number);
    if (count_stars(to) != stars || stars > STARS_MAX)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "line %" PRIu64 ": %u and %u '*'; both names have "
                            "as many, at most %d",
                            number, stars, count_stars(to), STARS_MAX);
    if (!stars) {
        add_plain(table, from, to, error);
        return error->status;
    }
    struct row *row = tn_list_push(&table->rows, struct row, error);
    if (row)
        *row = (struct row){ tn_bytes_dup(&table->arena, from, error),
                             tn_bytes_dup(&table->arena, to, error) };
    return error->status;
}

enum tn_status tn_name_table_parse(struct tn_name_table *table,
                                   struct tn_bytes text, struct tn_error *error)
{
    uint64_t number = 1;

    for (size_t at = 0; at < text.size; number++) {
        const uint8_t *end = memchr(text.data + at, '\n', text.size - at);
        size_t size = end ? (size_t)(end - text.data) - at : text.size - at;
        TN_TRY(add_line(table, tn_bytes(text.data + at, size), number, error));
        at += size + 1;
    }
    return TN_OK;
}

enum tn_status tn_name_table_load(struct tn_name_table *table, const char *path,
                                  struct tn_error *error)
{
    struct tn_bundle         bundle;
    struct tn_bundle_options how = { 0 };

    if (tn_bundle_open(&bundle, table->arena.memory, path, &how, error) ==
        TN_OK) {
        struct tn_source *source = bundle.main;
        if (!source || source->size > FILE_LIMIT) {
            tn_error_set(error, TN_INVALID, TN_NOWHERE,
                         "this is not a table of names");
        } else if (source->size) {
            const uint8_t *data =
                tn_source_pin(source, 0, (size_t)source->size, error);
            if (data)
                tn_name_table_parse(table,
                                    tn_bytes(data, (size_t)source->size),
                                    error);
        }
        tn_bundle_close(&bundle);
    }
    if (tn_failed(error))
        tn_error_file(error, path);
    return error->status;
}

/* ---- names ------------------------------------------------------------------ */

/* Finds the part for each '*'; a part has no dot and is not empty. */
static bool match(struct tn_bytes pattern, struct tn_bytes name,
                  struct tn_bytes *parts)
{
    size_t   p = 0, n = 0;
    unsigned star = 0;

    while (p < pattern.size) {
        if (pattern.data[p] != '*') {
            if (n == name.size || name.data[n] != pattern.data[p])
                return false;
            p++;
            n++;
            continue;
        }
        size_t begin = n;
        p++;
        while (n < name.size && name.data[n] != '.' &&
               !(n > begin && p < pattern.size && pattern.data[p] != '.' &&
                 name.data[n] == pattern.data[p]))
            n++;
        if (n == begin)
            return false;
        parts[star++] = tn_bytes(name.data + begin, n - begin);
    }
    return n == name.size;
}

static struct tn_bytes fill(struct tn_name_table *table, struct tn_bytes to,
                            const struct tn_bytes *parts,
                            struct tn_error       *error)
{
    struct tn_buffer text;
    unsigned         star = 0;

    tn_buffer_init(&text, table->arena.memory, error);
    for (size_t i = 0; i < to.size; i++) {
        if (to.data[i] == '*')
            tn_buffer_add(&text, parts[star++]);
        else
            tn_buffer_byte(&text, to.data[i]);
    }
    struct tn_bytes name =
        tn_bytes_dup(&table->arena, tn_buffer_bytes(&text), error);
    tn_buffer_done(&text);
    return name;
}

struct tn_bytes tn_name_table_map(struct tn_name_table *table,
                                  struct tn_bytes name, struct tn_error *error)
{
    uint32_t        id = tn_intern_find(&table->plain, name);
    struct tn_bytes parts[STARS_MAX];

    if (id != TN_NO_NAME)
        return *tn_list_at(&table->targets, struct tn_bytes, id);
    for (uint64_t i = 0; i < table->rows.count; i++) {
        const struct row *row = tn_list_at(&table->rows, struct row, i);
        if (match(row->from, name, parts))
            return fill(table, row->to, parts, error);
    }
    return name;
}
