/*
 * zip_fuzz.c - any bytes as a zip, of ours and of others
 *
 * What opens has entries that lie inside, in order and apart; what can be
 * verified can be copied into a new zip, which opens whole and verifies, too.
 * A lazy zip whose entries are all used is the same as one that is not lazy.
 */
#include <assert.h>

#include "wire/zip/zip_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_places(const struct tn_zip *zip)
{
    uint64_t end = 0;

    for (uint64_t i = 0; i < tn_zip_count(zip); i++) {
        const struct tn_zip_entry *e = tn_zip_in_order(zip, i);
        assert(e->offset >= end && e->data_offset >= e->offset + 30);
        end = e->data_offset + e->packed_size;
        assert(end >= e->data_offset && end <= zip->directory_offset);
        assert(tn_zip_find(zip, e->name) == e);
        assert(e->size / 1032 <= e->packed_size);
    }
    assert(zip->directory_offset <= zip->end_offset);
    assert(zip->end_offset <= zip->source->size);
}

static void reopen(struct tn_buffer *copy, uint64_t count)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_source source;
    struct tn_zip    zip;

    tn_source_memory(&source, copy->memory, tn_buffer_bytes(copy));
    assert(tn_zip_open(&zip, &source, copy->memory, NULL, &error) == TN_OK);
    assert(zip.state == TN_ZIP_WHOLE && tn_zip_count(&zip) == count);
    assert(tn_zip_verify(&zip, 1, NULL, &error) == TN_OK);
    tn_zip_close(&zip);
    tn_source_close(&source);
}

static void copy_zip(const struct tn_zip *zip, struct tn_memory *memory)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_buffer     copy;
    struct tn_zip_writer w;
    uint64_t             count = 0;

    tn_buffer_init(&copy, memory, &error);
    tn_zip_writer_init(&w, &copy.sink, memory, &error);
    for (uint64_t i = 0; i < tn_zip_count(zip); i++) {
        const struct tn_zip_entry *e = tn_zip_at(zip, i);
        if (tn_zip_is_folder(e))
            continue;
        tn_zip_copy(&w, tn_bytes(NULL, 0), zip, e);
        count++;
    }
    assert(tn_zip_finish(&w) == TN_OK || zip->options.is_foreign);
    tn_zip_writer_done(&w);
    if (error.status == TN_OK)
        reopen(&copy, count);
    tn_buffer_done(&copy);
}

static void read_zip(struct tn_bytes bytes, bool is_foreign)
{
    struct tn_zip_options options = { .is_foreign = is_foreign,
                                      .max_total  = 1 << 24 };
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_memory      memory;
    struct tn_source      source;
    struct tn_zip         zip;

    tn_memory_init(&memory, NULL, UINT64_C(1) << 28);
    tn_source_memory(&source, &memory, bytes);
    if (tn_zip_open(&zip, &source, &memory, &options, &error) == TN_OK) {
        check_places(&zip);
        if (tn_zip_verify(&zip, 1, NULL, &error) == TN_OK)
            copy_zip(&zip, &memory);
    }
    assert(error.status == TN_OK || error.what[0]);
    tn_zip_close(&zip);
    tn_source_close(&source);
    assert(memory.used == 0);
}

static bool settle_all(struct tn_zip *zip, struct tn_error *error)
{
    for (uint64_t i = 0; i < tn_zip_count(zip); i++)
        if (tn_zip_settle(zip, tn_zip_at(zip, i), error) != TN_OK)
            return false;
    return true;
}

static void compare_lazy(struct tn_bytes bytes)
{
    struct tn_zip_options lazy      = { .is_lazy = true };
    struct tn_error       errors[2] = { TN_ERROR_INIT, TN_ERROR_INIT };
    struct tn_memory      memory;
    struct tn_source      source;
    struct tn_zip         zips[2];
    bool                  is_whole[2];

    tn_memory_init(&memory, NULL, UINT64_C(1) << 28);
    tn_source_memory(&source, &memory, bytes);
    for (int i = 0; i < 2; i++)
        is_whole[i] = tn_zip_open(&zips[i], &source, &memory, i ? &lazy : NULL,
                                  &errors[i]) == TN_OK &&
                      zips[i].state == TN_ZIP_WHOLE &&
                      settle_all(&zips[i], &errors[i]);
    assert(is_whole[0] == is_whole[1]);
    if (is_whole[1])
        check_places(&zips[1]);
    for (uint64_t i = 0; is_whole[0] && i < tn_zip_count(&zips[0]); i++)
        assert(tn_zip_at(&zips[0], i)->data_offset ==
               tn_zip_at(&zips[1], i)->data_offset);
    for (int i = 0; i < 2; i++)
        tn_zip_close(&zips[i]);
    tn_source_close(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    compare_lazy(tn_bytes(data, size));
    read_zip(tn_bytes(data, size), false);
    read_zip(tn_bytes(data, size), true);
    return 0;
}
