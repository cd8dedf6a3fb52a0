/*
 * chunked_fuzz.c - any bytes as a chunked file or a file of records
 *
 *   a Riegeli signature      the file itself
 *   u8 kind, then            anything else: records, of which a file is made,
 *   u16 size, bytes ...      so that no hash stands between the bytes and who
 *                            reads chunks and their metadata
 *
 * Claims: what opens can be read to its end or says why not, and closing gives
 * everything back.
 */
#undef NDEBUG
#include <assert.h>
#include <string.h>

#include <tenon/model.h>

#include "base/arith.h"
#include "base/cursor.h"
#include "wire/riegeli/riegeli_write.h"

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

static void open_file(struct tn_bytes file)
{
    struct tn_options options = { .max_memory  = (uint64_t)64 << 20,
                                  .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    if (tn_model_open_source(&model, "a.cpb", file.size, serve,
                             (void *)(uintptr_t)file.data, &options,
                             &error) == TN_OK)
        read_tensors(model);
    else
        assert(error.what[0] && !model);
    tn_model_close(model);
}

/* The records of the input, as a file of one kind. */
static void open_records(struct tn_cursor *c, struct tn_error *error)
{
    static const char *const  kinds[] = { "uncompressed", "transpose,zstd:1",
                                          "uncompressed,chunk_size:1",
                                          "snappy" };
    struct tn_riegeli_options options = TN_RIEGELI_OPTIONS_INIT;
    struct tn_riegeli_writer  writer;
    struct tn_memory          memory;
    struct tn_buffer          file;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, error);
    tn_riegeli_options_parse(&options, kinds[tn_u8(c) % 4], error);
    tn_riegeli_writer_init(&writer, &file.sink, &options, &memory, error);
    while (tn_more(c)) {
        uint64_t low  = tn_u8(c);
        uint64_t size = tn_more(c) ? low + (uint64_t)tn_u8(c) * 256 : 0;
        tn_riegeli_add(&writer, tn_take_bytes(c, tn_min(size, tn_left(c))));
    }
    tn_riegeli_finish(&writer);
    tn_riegeli_writer_done(&writer);
    assert(!tn_failed(error));
    open_file(tn_buffer_bytes(&file));
    tn_buffer_done(&file);
    assert(memory.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t signature[] = { 0x83, 0xaf, 0x70, 0xd1 };
    struct tn_error      error       = TN_ERROR_INIT;
    struct tn_cursor     c = tn_cursor_bytes(tn_bytes(data, size), 0, &error);

    if (size == 0 || (size > 4 && !memcmp(data, signature, 4)))
        open_file(tn_bytes(data, size));
    else
        open_records(&c, &error);
    return 0;
}
