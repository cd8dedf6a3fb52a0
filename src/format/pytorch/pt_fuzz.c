/*
 * pt_fuzz.c - whatever the bytes are: opened as a file of PyTorch or refused,
 * and what is opened can be read
 *
 * The first byte chooses: a whole file, the pickle of an archive, or the object
 * of a stream; two storages of 64 bytes go with it.
 */
#include "format/pytorch/pt.h"

#include "format/model_fuzzing.h"
#include "format/pytorch/pt_testing.h"
#include "format/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_tensors(void *context, struct tn_bundle *bundle,
                         struct tn_model *model)
{
    (void)bundle;
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        fuzz_read_tensor(tn_model_tensor(model, i), true, context);
}

static void open_one(struct tn_bytes bytes)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 64 << 20);
    fuzz_open(&tn_format_pytorch, "a.pt", bytes, &memory, false, read_tensors,
              &memory);
    assert(memory.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t sizes[] = { 64, 64 };
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_memory      memory;
    struct tn_buffer      file;

    if (size == 0)
        return 0;
    struct tn_bytes rest = tn_bytes(data + 1, size - 1);
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    if (data[0] % 3 == 0)
        tn_buffer_add(&file, rest);
    else if (data[0] % 3 == 1)
        pt_make_zip(&file, rest, sizes, 2, data[0] & 64 ? "big" : NULL);
    else
        pt_make_stream(&file, rest, 16, 64);
    assert(error.status == TN_OK);
    open_one(tn_buffer_bytes(&file));
    tn_buffer_done(&file);
    return 0;
}
