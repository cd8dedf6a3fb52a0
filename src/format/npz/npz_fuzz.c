/*
 * npz_fuzz.c - whatever the bytes are: opened as npz or refused, and what is
 * opened lies inside and can be read
 *
 * The first byte chooses: an array alone, or the entry of a zip.
 */
#include "format/npz/npz.h"

#include "format/model_fuzzing.h"
#include "format/npz/npz_testing.h"

extern const struct tn_format tn_format_npz, tn_format_npy;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum tn_status look(void *context, uint64_t index, struct tn_span text,
                           struct tn_error *error)
{
    (void)context;
    (void)error;
    assert(index < UINT64_MAX);
    assert(text.length == 0 || text.offset + text.length <= text.source->size);
    return TN_OK;
}

/* The first few elements of each tensor. */
static void read_tensors(void *context, struct tn_bundle *bundle,
                         struct tn_model *model)
{
    (void)context;
    (void)bundle;
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        struct tn_error         error  = TN_ERROR_INIT;
        uint64_t                count  = tn_tensor_count(tensor);
        uint8_t                 bytes[64];
        unsigned                unit = tn_dtype_size(tn_tensor_dtype(tensor));
        count                        = count < 4 ? count : 4;
        if (unit)
            tn_tensor_read(tensor, 0, bytes, (size_t)count * unit, &error);
        else
            tn_payload_strings(&tensor->elements, 0, count, look, NULL, &error);
        assert(error.status == TN_OK || error.what[0]);
    }
}

static void open_one(const struct tn_format *format, struct tn_bytes bytes)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 64 << 20);
    fuzz_open(format, "a.npz", bytes, &memory, false, read_tensors, NULL);
    assert(memory.used == 0);
}

/* The bytes as an entry, so that the fuzzer need not find checksums. */
static void open_in_zip(struct tn_bytes bytes, bool is_deflated)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_buffer     file;
    struct tn_zip_writer zip;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    tn_zip_writer_init(&zip, &file.sink, &memory, &error);
    npz_put_entry(&zip, "a.npy", bytes, is_deflated);
    tn_zip_finish(&zip);
    tn_zip_writer_done(&zip);
    assert(error.status == TN_OK);
    open_one(&tn_format_npz, tn_buffer_bytes(&file));
    tn_buffer_done(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct tn_bytes rest = tn_bytes(data + 1, size - 1);
    switch (data[0] % 4) {
    case 0: open_one(&tn_format_npy, rest); break;
    case 1: open_in_zip(rest, false); break;
    case 2: open_in_zip(rest, true); break;
    default: open_one(&tn_format_npz, rest); break;
    }
    return 0;
}
