/* catalog_rows_fuzz.c - lines of a catalog from a stranger: groups are inside
 * the bytes, and rows that are read are written and read again the same */
#include <assert.h>

#include "engine/catalog_rows.h"

static void read_again(struct tn_bytes line, struct tn_memory *memory)
{
    struct tn_error       error = TN_ERROR_INIT, own = TN_ERROR_INIT;
    struct tn_catalog_row row;
    struct tn_arena       arena;
    struct tn_buffer      once, twice;

    tn_arena_init(&arena, memory);
    tn_buffer_init(&once, memory, &error);
    tn_buffer_init(&twice, memory, &error);
    if (tn_catalog_read(&row, &arena, line, 0, &own) == TN_OK) {
        tn_catalog_write(&row, &once.sink, &error);
        struct tn_bytes text = tn_buffer_bytes(&once);
        assert(text.size > 0 && text.data[text.size - 1] == '\n');
        text.size--;
        assert(!tn_bytes_find(text, '\n'));
        assert(tn_catalog_read(&row, &arena, text, 0, &error) == TN_OK);
        tn_catalog_write(&row, &twice.sink, &error);
        assert(tn_bytes_equal(tn_buffer_bytes(&once), tn_buffer_bytes(&twice)));
    }
    tn_buffer_done(&once);
    tn_buffer_done(&twice);
    tn_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory         memory;
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_source         source;
    struct tn_catalog_groups groups;
    uint64_t                 before = 0;
    struct tn_bytes          line;

    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(data, size));
    tn_catalog_groups_init(&groups, &memory, &source);
    while (tn_catalog_groups_next(&groups, &error)) {
        assert(groups.begin == before && groups.first > groups.begin);
        assert(groups.end >= groups.first && groups.end <= size);
        before = groups.end;
    }
    assert(error.status == TN_OK || error.offset <= size);
    tn_error_clear(&error);
    for (uint64_t at = 0; tn_catalog_line(&source, at, &line, &error);
         at += line.size + 1)
        read_again(line, &memory);
    tn_catalog_groups_done(&groups);
    tn_source_close(&source);
    assert(memory.used == 0);
    return 0;
}
