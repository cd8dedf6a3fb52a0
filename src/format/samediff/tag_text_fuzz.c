/*
 * tag_text_fuzz.c - any bytes as a list of tags and as a list of files
 *
 * What is read is written, and then reads as the same.
 */
#include <assert.h>

#include "format/samediff/tag_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_all(struct tn_buffer *to, const struct tn_tag_lines *lines)
{
    for (uint32_t i = 0; i < lines->count; i++)
        tn_tag_text_put(to, &lines->items[i], tn_text("own"));
}

static void read_twice(struct tn_bytes bytes, enum tn_tag_file which,
                       struct tn_arena *arena)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_tag_lines lines, again;
    struct tn_tag_text  text = { bytes, 0, "x", NULL };
    struct tn_buffer    one, two;

    tn_buffer_init(&one, arena->memory, &error);
    tn_buffer_init(&two, arena->memory, &error);
    if (tn_tag_text_lines(&text, which, arena, &lines, &error) == TN_OK) {
        write_all(&one, &lines);
        text.bytes = tn_buffer_bytes(&one);
        assert(tn_tag_text_lines(&text, which, arena, &again, &error) == TN_OK);
        assert(again.count == lines.count);
        write_all(&two, &again);
        assert(tn_bytes_equal(tn_buffer_bytes(&one), tn_buffer_bytes(&two)));
    } else {
        assert(error.offset <= bytes.size);
    }
    tn_buffer_done(&two);
    tn_buffer_done(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_tag_text     text  = { tn_bytes(data, size), 0, "x", NULL };
    struct tn_memory       memory;
    struct tn_arena        arena;
    const struct tn_bytes *tags;
    uint32_t               count;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    if (tn_tag_text_tags(&text, &arena, &tags, &count, &error) == TN_OK)
        for (uint32_t i = 0; i < count; i++)
            assert(!tn_tag_old_refusal(tags[i]));
    read_twice(text.bytes, TN_TAG_PARAMS, &arena);
    read_twice(text.bytes, TN_TAG_UPDATER, &arena);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
