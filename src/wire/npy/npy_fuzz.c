/* npy_fuzz.c - what is read lies inside, and is written back as the same */
#include "wire/npy/npy.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const struct tn_npy *npy)
{
    struct tn_error  error = TN_ERROR_INIT, again = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer header;
    struct tn_npy    second;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&header, &memory, &error);
    tn_npy_write(&header, npy->dtype, npy->rank, npy->dims);
    assert(error.status == TN_OK && header.size % 64 == 0);
    struct tn_cursor c = tn_cursor_bytes(tn_buffer_bytes(&header), 0, &again);
    tn_npy_read(&c, &second);
    /* Alone, the header lacks its data; all else has been read by then. */
    assert(again.status == (npy->data.length ? TN_TRUNCATED : TN_OK));
    assert(second.dtype == npy->dtype && second.rank == npy->rank);
    for (uint32_t i = 0; i < npy->rank; i++)
        assert(second.dims[i] == npy->dims[i]);
    tn_buffer_done(&header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_bytes(tn_bytes(data, size), 0, &error);
    struct tn_npy    npy;

    if (tn_npy_read(&c, &npy) != TN_OK) {
        assert(error.what[0] && error.offset <= size);
        return 0;
    }
    assert(npy.data.offset <= size &&
           npy.data.length <= size - npy.data.offset);
    if (npy.dtype != TN_STRING)
        write_again(&npy);
    return 0;
}
