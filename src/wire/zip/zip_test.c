/* zip_test.c - what we write we read; what others write, too; little else */
#define _GNU_SOURCE
#include "wire/zip/zip.h"

#include "io/file_source.h"
#include "support/scratch.h"
#include "wire/zip/zip_write.h"

/* Makes a zip in memory; free .data. */
static struct tn_bytes make_zip(void (*fill)(struct tn_zip_writer *w))
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_buffer     buffer;
    struct tn_zip_writer w;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    tn_zip_writer_init(&w, &buffer.sink, &memory, &error);
    fill(&w);
    if (tn_zip_finish(&w) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    tn_zip_writer_done(&w);
    uint8_t *copy = malloc(buffer.size);
    memcpy(copy, buffer.data, buffer.size);
    struct tn_bytes bytes = tn_bytes(copy, buffer.size);
    tn_buffer_done(&buffer);
    assert_int_equal(memory.used, 0);
    return bytes;
}

static void add_deflated(struct tn_zip_writer *w, const char *name,
                         struct tn_bytes bytes)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, w->memory);
    tn_rope_init(&rope, &arena, w->error);
    tn_rope_borrow(&rope, bytes);
    tn_zip_add_deflated(w, tn_text(name), &rope, 0);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void fill_three(struct tn_zip_writer *w)
{
    static char many[5000];

    memset(many, 'z', sizeof many);
    tn_zip_add_bytes(w, tn_text("tags.txt"), tn_text("fp32\n"));
    add_deflated(w, "fp32/graph.fb", tn_bytes(many, sizeof many));
    tn_zip_add_bytes(w, tn_text("fp32/params/0.fb"), tn_text("0123456789"));
}

static void free_bytes(struct tn_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

/* A zip that is open, with all that this takes. */
struct opened {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_source source;
    struct tn_zip    zip;
};

static enum tn_status open_bytes(struct opened *o, struct tn_bytes bytes,
                                 const struct tn_zip_options *options)
{
    o->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&o->memory, NULL, 0);
    tn_source_memory(&o->source, &o->memory, bytes);
    return tn_zip_open(&o->zip, &o->source, &o->memory, options, &o->error);
}

static void close_bytes(struct opened *o)
{
    tn_zip_close(&o->zip);
    tn_source_close(&o->source);
    assert_int_equal(o->memory.used, 0);
}

static void expect_content(struct opened *o, const char *name,
                           struct tn_bytes wanted)
{
    struct tn_buffer           got, streamed;
    const struct tn_zip_entry *e = tn_zip_find(&o->zip, tn_text(name));
    struct tn_source          *source;

    assert_non_null(e);
    tn_buffer_init(&got, &o->memory, &o->error);
    tn_buffer_init(&streamed, &o->memory, &o->error);
    assert_int_equal(tn_zip_load(&o->zip, e, 1 << 20, &got, &o->error), TN_OK);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&got), wanted));
    assert_int_equal(tn_zip_stream(&o->zip, e, &streamed.sink, &o->error),
                     TN_OK);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&streamed), wanted));
    assert_int_equal(tn_zip_source(&o->zip, e, &source, &o->error), TN_OK);
    assert_int_equal(source->size, wanted.size);
    memset(got.data, 0, got.size);
    assert_int_equal(
        tn_source_read(source, 0, got.data, wanted.size, &o->error), TN_OK);
    assert_true(tn_bytes_equal(tn_buffer_bytes(&got), wanted));
    tn_source_close(source);
    tn_buffer_done(&got);
    tn_buffer_done(&streamed);
}

static void reads_what_it_writes(void **state)
{
    struct tn_bytes bytes = make_zip(fill_three);
    struct opened   o;
    char            many[5000];

    (void)state;
    memset(many, 'z', sizeof many);
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    assert_int_equal(o.zip.state, TN_ZIP_WHOLE);
    assert_int_equal(tn_zip_count(&o.zip), 3);
    expect_content(&o, "tags.txt", tn_text("fp32\n"));
    expect_content(&o, "fp32/graph.fb", tn_bytes(many, sizeof many));
    expect_content(&o, "fp32/params/0.fb", tn_text("0123456789"));
    assert_null(tn_zip_find(&o.zip, tn_text("TAGS.txt")));
    assert_non_null(tn_zip_find_folded(&o.zip, tn_text("TAGS.txt")));
    assert_int_equal(tn_zip_verify(&o.zip, 2, NULL, &o.error), TN_OK);
    close_bytes(&o);
    free_bytes(bytes);
}

static void stored_data_is_aligned_and_in_place(void **state)
{
    struct tn_bytes   bytes = make_zip(fill_three);
    struct opened     o;
    struct tn_source *source;

    (void)state;
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    const struct tn_zip_entry *e =
        tn_zip_find(&o.zip, tn_text("fp32/params/0.fb"));
    assert_int_equal(e->data_offset % TN_ZIP_ALIGNMENT, 0);
    assert_int_equal(tn_zip_source(&o.zip, e, &source, &o.error), TN_OK);
    assert_ptr_equal(source->map, bytes.data + e->data_offset);
    tn_source_close(source);
    close_bytes(&o);
    free_bytes(bytes);
}

static enum tn_status read_all(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_source source;
    struct tn_zip    zip;

    tn_source_memory(&source, memory, input);
    if (tn_zip_open(&zip, &source, memory, NULL, error) == TN_OK) {
        if (zip.state != TN_ZIP_WHOLE)
            tn_error_set(error, TN_MALFORMED, zip.end_offset, "a torn tail");
        tn_zip_verify(&zip, 1, NULL, error);
    }
    tn_zip_close(&zip);
    tn_source_close(&source);
    return error->status;
}

static void survives_hostility(void **state)
{
    struct tn_bytes bytes = make_zip(fill_three);

    (void)state;
    tn_survives_hostility(read_all, bytes);
    free_bytes(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(stored_data_is_aligned_and_in_place),
        cmocka_unit_test(survives_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
