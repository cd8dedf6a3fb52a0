/* weight_map.c - reading the index beside the files of one model */
#include "format/weight_map.h"

#include <inttypes.h>

#include "base/intern.h"
#include "base/json_read.h"
#include "base/number.h"

struct reader {
    struct tn_arena      *arena;
    struct tn_error      *error;
    struct tn_cursor      cursor;
    struct tn_json_reader json;
    struct tn_intern      names;
};

void tn_weight_map_init(struct tn_weight_map *map, struct tn_memory *memory)
{
    *map = (struct tn_weight_map){ 0 };
    tn_list_init(&map->places, memory, sizeof(struct tn_weight_place));
}

void tn_weight_map_done(struct tn_weight_map *map)
{
    tn_list_done(&map->places);
}

static struct tn_bytes keep(struct reader *r)
{
    return tn_bytes_dup(r->arena, r->json.text, r->error);
}

static void read_place(struct reader *r, struct tn_weight_map *map)
{
    struct tn_weight_place *row;
    uint64_t                offset = r->json.offset;
    struct tn_bytes         name   = keep(r);
    uint32_t                known  = tn_intern_count(&r->names);

    if (tn_failed(r->error))
        return;
    if (tn_intern_borrow(&r->names, name, r->error) != known)
        tn_fail_at(&r->cursor, offset, TN_MALFORMED, "'%.*s' twice",
                   TN_FMT(name));
    row = tn_list_push(&map->places, struct tn_weight_place, r->error);
    if (!row || !tn_json_expect(&r->json, TN_JSON_STRING, "the name of a file"))
        return;
    *row = (struct tn_weight_place){ name, keep(r) };
}

static void read_metadata(struct reader *r, struct tn_weight_map *map)
{
    if (!tn_json_expect(&r->json, TN_JSON_OBJECT_BEGIN, "an object"))
        return;
    while (tn_json_next(&r->json) == TN_JSON_KEY) {
        if (!tn_bytes_is(r->json.text, "total_size")) {
            tn_json_skip(&r->json);
            continue;
        }
        /* Some writers add sizes in floating point: 1.2e9 is not a sum to
         * check. */
        enum tn_json_event event = tn_json_next(&r->json);
        if (event != TN_JSON_NUMBER && !tn_failed(r->error))
            tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                       "a number was expected");
        map->has_total_size = tn_uint64_parse(r->json.text, &map->total_size);
    }
}

static void read_map(struct reader *r, struct tn_weight_map *map)
{
    bool has_map = false;

    if (!tn_json_expect(&r->json, TN_JSON_OBJECT_BEGIN, "an object"))
        return;
    while (tn_json_next(&r->json) == TN_JSON_KEY) {
        if (tn_bytes_is(r->json.text, "weight_map") && !has_map) {
            has_map = tn_json_expect(&r->json, TN_JSON_OBJECT_BEGIN,
                                     "an object of files");
            while (has_map && tn_json_next(&r->json) == TN_JSON_KEY)
                read_place(r, map);
        } else if (tn_bytes_is(r->json.text, "weight_map")) {
            tn_fail_at(&r->cursor, r->json.offset, TN_MALFORMED,
                       "weight_map twice");
        } else if (tn_bytes_is(r->json.text, "metadata")) {
            read_metadata(r, map);
        } else {
            tn_json_skip(&r->json);
        }
    }
    tn_json_expect(&r->json, TN_JSON_END, "nothing more");
    if (!tn_failed(r->error) && !has_map)
        tn_fail(&r->cursor, TN_MALFORMED, "no weight_map in the index");
}

enum tn_status tn_weight_map_read(struct tn_weight_map *map,
                                  struct tn_source *source,
                                  struct tn_arena *arena,
                                  struct tn_error *error)
{
    struct reader r = { .arena = arena, .error = error };

    if (source->size > TN_WEIGHT_MAP_LIMIT)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "an index of %" PRIu64 " bytes, limit %" PRIu64,
                            source->size, TN_WEIGHT_MAP_LIMIT);
    tn_source_expect(source, 0, source->size);
    r.cursor =
        tn_cursor_span((struct tn_span){ source, 0, source->size }, error);
    tn_intern_init(&r.names, arena);
    tn_json_open(&r.json, &r.cursor, arena->memory);
    read_map(&r, map);
    tn_json_close(&r.json);
    tn_intern_done(&r.names);
    return error->status;
}
