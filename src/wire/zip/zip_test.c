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

/* ---- sources of entries -------------------------------------------------- */

/* Twenty million bytes that deflate well and differ everywhere. */
#define LARGE_SIZE 20000000u

static uint8_t large_byte(uint64_t i)
{
    return (uint8_t)(i / 1000 * 7 + i % 13);
}

static enum tn_status produce(const struct tn_producer *producer,
                              struct tn_sink *to, struct tn_error *error)
{
    uint8_t window[1000];

    for (uint64_t i = 0; i < producer->length; i += sizeof window) {
        for (size_t k = 0; k < sizeof window; k++)
            window[k] = large_byte(i + k);
        TN_TRY(tn_sink_write(to, tn_bytes(window, sizeof window), error));
    }
    return TN_OK;
}

static void fill_large(struct tn_zip_writer *w)
{
    const struct tn_producer producer = { produce, LARGE_SIZE };
    struct tn_arena          arena;
    struct tn_rope           rope;

    tn_arena_init(&arena, w->memory);
    tn_rope_init(&rope, &arena, w->error);
    tn_rope_producer(&rope, &producer);
    tn_zip_add_deflated(w, tn_text("large"), &rope, 1);
    tn_zip_add(w, tn_text("stored"), &rope);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void expect_range(struct tn_source *source, uint64_t offset, size_t size)
{
    struct tn_error error = TN_ERROR_INIT;
    uint8_t        *bytes = malloc(size);

    if (tn_source_read(source, offset, bytes, size, &error) != TN_OK)
        fail_msg("%s", error.what);
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != large_byte(offset + i))
            fail_msg("byte %llu is wrong", (unsigned long long)(offset + i));
    free(bytes);
}

/* Forwards in little memory, with steps over some; then backwards. */
static void large_entries_unpack_as_they_are_read(void **state)
{
    struct tn_bytes   bytes = make_zip(fill_large);
    struct opened     o;
    struct tn_source *source;

    (void)state;
    assert_true(bytes.size < LARGE_SIZE + LARGE_SIZE / 10);
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    const struct tn_zip_entry *e = tn_zip_find(&o.zip, tn_text("large"));
    assert_int_equal(e->method, TN_ZIP_DEFLATED);
    uint64_t before = o.memory.used;
    assert_int_equal(tn_zip_source(&o.zip, e, &source, &o.error), TN_OK);
    assert_true(o.memory.used - before < 4096); /* nothing is unpacked yet */
    expect_range(source, 10, 1000);
    expect_range(source, 1010, 300000);
    expect_range(source, 5000000, 70000);
    assert_true(o.memory.used - before < 200000);
    expect_range(source, LARGE_SIZE - 9, 9); /* with the checksum */
    expect_range(source, 0, 5000);           /* by way of a file */
    expect_range(source, LARGE_SIZE - 1000, 1000);
    tn_source_close(source);
    e = tn_zip_find(&o.zip, tn_text("stored"));
    assert_int_equal(e->data_offset % 4096, 0);
    assert_int_equal(tn_zip_source(&o.zip, e, &source, &o.error), TN_OK);
    expect_range(source, 12345, 100000);
    tn_source_close(source);
    assert_int_equal(tn_zip_verify(&o.zip, 2, NULL, &o.error), TN_OK);
    close_bytes(&o);
    free_bytes(bytes);
}

/* A wrong checksum is told with the last byte, and again when asked again. */
static void large_damage_is_found_at_the_end(void **state)
{
    struct tn_bytes   bytes = make_zip(fill_large);
    uint8_t          *all   = (uint8_t *)(uintptr_t)bytes.data;
    struct tn_error   error = TN_ERROR_INIT;
    struct opened     o;
    struct tn_source *source;
    uint8_t           last[2];

    (void)state;
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    const struct tn_zip_entry *e = tn_zip_find(&o.zip, tn_text("large"));
    all[e->offset + 14] ^= 1; /* both say so: only the bytes know better */
    all[e->record_offset + 16] ^= 1;
    close_bytes(&o);
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    e = tn_zip_find(&o.zip, tn_text("large"));
    assert_int_equal(tn_zip_source(&o.zip, e, &source, &o.error), TN_OK);
    expect_range(source, 0, 100000);
    for (int i = 0; i < 2; i++) {
        error = (struct tn_error)TN_ERROR_INIT;
        assert_int_equal(
            tn_source_read(source, LARGE_SIZE - 2, last, 2, &error),
            TN_MALFORMED);
        assert_string_equal(error.where, "large");
    }
    tn_source_close(source);
    close_bytes(&o);
    free_bytes(bytes);
}

/* ---- sources that are not mapped ----------------------------------------- */

struct counted {
    struct tn_bytes bytes;
    uint64_t        reads, read_bytes;
    uint64_t        left; /* reads until they fail                            */
};

static int counted_read(void *context, uint64_t offset, void *to, size_t size)
{
    struct counted *c = context;

    if (c->left-- == 0) {
        c->left = 0;
        return 5;
    }
    c->reads++;
    c->read_bytes += size;
    memcpy(to, c->bytes.data + offset, size);
    return 0;
}

static enum tn_status open_counted(struct counted              *c,
                                   const struct tn_zip_options *options,
                                   struct tn_error             *error)
{
    struct tn_memory  memory;
    struct tn_source *source;
    struct tn_zip     zip;

    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(tn_source_callback(&source, &memory, c->bytes.size,
                                        counted_read, c, "", error),
                     TN_OK);
    if (tn_zip_open(&zip, source, &memory, options, error) == TN_OK)
        tn_zip_find(&zip, tn_text("stored"));
    tn_zip_close(&zip);
    tn_source_close(source);
    assert_int_equal(memory.used, 0);
    return error->status;
}

static void opening_reads_no_data(void **state)
{
    struct counted  c = { .bytes = make_zip(fill_large), .left = UINT64_MAX };
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(open_counted(&c, NULL, &error), TN_OK);
    assert_true(c.read_bytes < 200000);
    uint64_t reads = c.reads;
    for (uint64_t n = 0; n < reads; n++) {
        c.left = n;
        error  = (struct tn_error)TN_ERROR_INIT;
        assert_int_equal(open_counted(&c, NULL, &error), TN_IO);
    }
    free_bytes(c.bytes);
}

/* ---- lazy --------------------------------------------------------------- */

/* The byte of an entry's local header is another one. */
static struct tn_bytes damaged(struct tn_bytes bytes, const char *name,
                               unsigned at, uint64_t *offset)
{
    struct opened o;

    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    *offset = tn_zip_find(&o.zip, tn_text(name))->offset + at;
    close_bytes(&o);
    uint8_t *copy = malloc(bytes.size);
    memcpy(copy, bytes.data, bytes.size);
    copy[*offset] ^= 1;
    return tn_bytes(copy, bytes.size);
}

/* What the directory promises is compared when an entry is used, and others
 * can be used whatever its local header says. */
static void a_lazy_zip_compares_what_is_used(void **state)
{
    static const struct tn_zip_options lazy = { .is_lazy = true };
    static const struct {
        unsigned at, told; /* bytes of the local header */
    } cases[] = { { 0, 0 },   { 6, 6 },   { 8, 8 },   { 14, 14 }, { 18, 18 },
                  { 22, 18 }, { 26, 30 }, { 28, 28 }, { 30, 30 }, { 45, 30 } };
    struct tn_bytes bytes = make_zip(fill_three);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t        offset;
        const char     *name = "fp32/params/0.fb";
        struct tn_bytes bad  = damaged(bytes, name, cases[i].at, &offset);
        struct opened   o;
        assert_int_equal(open_bytes(&o, bad, NULL), TN_MALFORMED);
        close_bytes(&o);
        assert_int_equal(open_bytes(&o, bad, &lazy), TN_OK);
        assert_int_equal(o.zip.state, TN_ZIP_WHOLE);
        expect_content(&o, "tags.txt", tn_text("fp32\n"));
        assert_int_equal(tn_zip_settle(&o.zip, tn_zip_at(&o.zip, 0), &o.error),
                         TN_OK);
        assert_int_equal(
            tn_zip_settle(&o.zip, tn_zip_find(&o.zip, tn_text(name)), &o.error),
            TN_MALFORMED);
        assert_string_equal(o.error.where, name);
        assert_int_equal(o.error.offset, offset - cases[i].at + cases[i].told);
        close_bytes(&o);
        free_bytes(bad);
    }
    free_bytes(bytes);
}

static void fill_hundred(struct tn_zip_writer *w)
{
    static uint8_t zeros[10000];
    char           name[64];

    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "a/params/%d.fb", i);
        tn_zip_add_bytes(w, tn_text(name), tn_bytes(zeros, sizeof zeros));
    }
}

static void a_lazy_zip_reads_its_directory(void **state)
{
    static const struct tn_zip_options lazy = { .is_lazy = true };
    struct counted  c = { .bytes = make_zip(fill_hundred), .left = UINT64_MAX };
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(open_counted(&c, NULL, &error), TN_OK);
    assert_true(c.reads >= 100 && c.read_bytes < 100000);
    c.reads = 0;
    assert_int_equal(open_counted(&c, &lazy, &error), TN_OK);
    assert_true(c.reads < 10);
    free_bytes(c.bytes);
}

/* ---- many ---------------------------------------------------------------- */

static void fill_many(struct tn_zip_writer *w)
{
    char name[64];

    for (int i = 0; i < 70000; i++) {
        snprintf(name, sizeof name, "tag%d/Params/%d.fb", i / 1000, i);
        tn_zip_add_bytes(w, tn_text(name), tn_text(name));
    }
}

static void many_entries_have_zip64_records(void **state)
{
    struct tn_bytes bytes = make_zip(fill_many);
    struct opened   o;

    (void)state;
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    assert_int_equal(tn_zip_count(&o.zip), 70000);
    expect_content(&o, "tag69/Params/69999.fb",
                   tn_text("tag69/Params/69999.fb"));
    close_bytes(&o);
    free_bytes(bytes);
}

/* ---- the writer ---------------------------------------------------------- */

static void fill_twice(struct tn_zip_writer *w)
{
    tn_zip_add_bytes(w, tn_text("a"), tn_text("old"));
    tn_zip_add_bytes(w, tn_text("b"), tn_text("dropped"));
    tn_zip_add_bytes(w, tn_text("a"), tn_text("new"));
    assert_true(tn_zip_drop(w, tn_text("b")));
    assert_false(tn_zip_drop(w, tn_text("c")));
}

static void the_last_of_a_name_counts(void **state)
{
    struct tn_bytes bytes = make_zip(fill_twice);
    struct opened   o;

    (void)state;
    assert_int_equal(open_bytes(&o, bytes, NULL), TN_OK);
    assert_int_equal(o.zip.state, TN_ZIP_WHOLE);
    assert_int_equal(tn_zip_count(&o.zip), 1);
    expect_content(&o, "a", tn_text("new"));
    close_bytes(&o);
    free_bytes(bytes);
}

static void names_a_reader_refuses_are_not_written(void **state)
{
    static const char *const names[] = { "",     "/a",  "../a", "a/..",
                                         "a\\b", "c:x", "a/",   "A.txt" };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tn_error      error = TN_ERROR_INIT;
        struct tn_memory     memory;
        struct tn_buffer     buffer;
        struct tn_zip_writer w;

        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&buffer, &memory, &error);
        tn_zip_writer_init(&w, &buffer.sink, &memory, &error);
        tn_zip_add_bytes(&w, tn_text("a.txt"), tn_text("x"));
        assert_int_equal(tn_zip_add_bytes(&w, tn_text(names[i]), tn_text("x")),
                         TN_INVALID);
        assert_int_equal(tn_zip_finish(&w), TN_INVALID);
        tn_zip_writer_done(&w);
        tn_buffer_done(&buffer);
    }
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
        cmocka_unit_test(large_entries_unpack_as_they_are_read),
        cmocka_unit_test(large_damage_is_found_at_the_end),
        cmocka_unit_test(opening_reads_no_data),
        cmocka_unit_test(a_lazy_zip_compares_what_is_used),
        cmocka_unit_test(a_lazy_zip_reads_its_directory),
        cmocka_unit_test(many_entries_have_zip64_records),
        cmocka_unit_test(the_last_of_a_name_counts),
        cmocka_unit_test(names_a_reader_refuses_are_not_written),
        cmocka_unit_test(survives_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
