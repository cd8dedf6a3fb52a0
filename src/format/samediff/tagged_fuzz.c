/*
 * tagged_fuzz.c - any bytes as the entries of a tag
 *
 * The input is cut into the entries of a tag, each with two bytes of length: a
 * zip that a fuzzer makes would be refused by its checksums.  What opens can
 * be written, and what is written opens.
 */
#include <assert.h>

#include "format/registry.h"
#include "format/samediff/tagged_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { "tags.txt",      "t/graph.fb",
                                     "t/params.txt",  "t/trainingConfig.fb",
                                     "t/updater.txt", "t/params/0.fb",
                                     "t/params/1.fb", "t/updater/0.fb" };

enum { NAMES = sizeof names / sizeof names[0] };

/* Each entry: two bytes of length, then its bytes. */
static void make_zip(struct tn_bytes from, struct tn_buffer *to)
{
    struct tn_zip_writer w;
    size_t               at = 0;

    tn_zip_writer_init(&w, &to->sink, to->memory, to->error);
    for (int i = 0; i < NAMES && from.size - at >= 2; i++) {
        size_t size = (size_t)from.data[at] | (size_t)from.data[at + 1] << 8;
        at += 2;
        if (size > from.size - at)
            size = from.size - at;
        tn_zip_add_bytes(&w, tn_text(names[i]), tn_bytes(from.data + at, size));
        at += size;
    }
    tn_zip_finish(&w);
    tn_zip_writer_done(&w);
}

static bool write_again(const struct tn_model *model, struct tn_buffer *to)
{
    struct tn_error         error   = TN_ERROR_INIT;
    struct tn_write_options options = { 0 };
    struct tn_tagged_writer w;
    struct tn_zip_writer    zip;

    tn_zip_writer_init(&zip, &to->sink, to->memory, &error);
    if (tn_tagged_writer_init(&w, model, tn_text("t"), &options, NULL,
                              &error) == TN_OK) {
        tn_zip_add_bytes(&zip, tn_text("tags.txt"), tn_text("t\n"));
        tn_tagged_writer_put(&w, &zip);
        tn_zip_finish(&zip);
    }
    tn_tagged_writer_done(&w);
    tn_zip_writer_done(&zip);
    return !tn_failed(&error);
}

/* Opens it; writes what opened when `again` is given. */
static bool open_zip(struct tn_bytes bytes, struct tn_memory *memory,
                     struct tn_buffer *again)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_source source;
    struct tn_zip    zip;
    struct tn_tagged t;
    struct tn_model  model;
    bool             is_written = false;

    tn_source_memory(&source, memory, bytes);
    tn_model_init(&model, memory);
    model.format = tn_format_samediff.name;
    assert(tn_zip_open(&zip, &source, memory, NULL, &error) == TN_OK);
    if (tn_tagged_begin(&t, &zip, memory, NULL, NULL, &error) == TN_OK &&
        tn_tagged_read(&t, tn_bytes(NULL, 0), &model, &error) == TN_OK && again)
        is_written = write_again(&model, again);
    assert(error.offset == TN_NOWHERE || error.offset <= bytes.size);
    tn_model_done(&model);
    tn_tagged_end(&t);
    tn_zip_close(&zip);
    tn_source_close(&source);
    return again ? is_written : !tn_failed(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer zip, again;

    tn_memory_init(&memory, NULL, UINT64_C(256) << 20);
    tn_buffer_init(&zip, &memory, &error);
    tn_buffer_init(&again, &memory, &error);
    make_zip(tn_bytes(data, size), &zip);
    if (!tn_failed(&error) && open_zip(tn_buffer_bytes(&zip), &memory, &again))
        assert(open_zip(tn_buffer_bytes(&again), &memory, NULL));
    tn_buffer_done(&again);
    tn_buffer_done(&zip);
    assert(memory.used == 0);
    return 0;
}
