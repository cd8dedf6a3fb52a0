/*
 * chunked_fuzz.c - any bytes as a chunked file or a file of records
 *
 * Claims: what opens can be read to its end or says why not, and closing gives
 * everything back.
 */
#include <assert.h>
#include <string.h>

#include <tenon/model.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int serve(void *context, uint64_t offset, void *to, size_t size)
{
    memcpy(to, (const uint8_t *)context + offset, size);
    return 0;
}

static void read_tensors(const struct tn_model *model)
{
    uint8_t window[256];

    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        struct tn_error         error  = TN_ERROR_INIT;
        uint64_t                n      = tn_tensor_size(tensor);
        size_t now = n < sizeof window ? (size_t)n : sizeof window;
        if (tn_tensor_read(tensor, 0, window, now, &error) != TN_OK)
            assert(error.what[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_options options = { .max_memory  = (uint64_t)64 << 20,
                                  .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    if (tn_model_open_source(&model, "a.cpb", size, serve,
                             (void *)(uintptr_t)data, &options,
                             &error) == TN_OK)
        read_tensors(model);
    else
        assert(error.what[0] && !model);
    tn_model_close(model);
    return 0;
}
