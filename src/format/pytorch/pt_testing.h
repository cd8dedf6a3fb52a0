/* pt_testing.h - little files of PyTorch, for the tests and the fuzzer */
#ifndef TN_FORMAT_PT_TESTING_H
#define TN_FORMAT_PT_TESTING_H

#include "base/varint.h"
#include "wire/zip/zip_write.h"

/* Parts of pickles.  A storage of two floats by its key, and a tensor of it:
 * start, sizes and strides follow as pickled numbers and tuples. */
#define PT_NAME(module, name) "c" module "\n" name "\n"
#define PT_DICT               PT_NAME("collections", "OrderedDict") ")R"
#define PT_TEXT(size, text)   "U" size text
#define PT_STORAGE(class, key, count)                                          \
    "(" PT_TEXT("\7", "storage") PT_NAME("torch", class)                       \
        PT_TEXT("\1", key) PT_TEXT("\3", "cpu") "K" count "tQ"
#define PT_TENSOR(storage, rest)                                               \
    PT_NAME("torch._utils", "_rebuild_tensor_v2")                              \
    "(" storage rest "\x89" PT_DICT "tR"

/* The stream of pickles before the object. */
#define PT_STREAM_HEAD                                                         \
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."                \
    "\x80\x02M\xe9\x03."                                                       \
    "\x80\x02}."

/* An archive of a pickle and of storages "0", "1", ... of these sizes, whose
 * bytes count up from 0. */
static inline void pt_make_zip(struct tn_buffer *file, struct tn_bytes pickle,
                               const uint64_t *sizes, uint64_t count,
                               const char *byte_order)
{
    struct tn_zip_writer zip;
    struct tn_buffer     data;
    char                 name[] = "x/data/0";

    tn_zip_writer_init(&zip, &file->sink, file->memory, file->error);
    tn_zip_add_bytes(&zip, tn_text("x/data.pkl"), pickle);
    if (byte_order)
        tn_zip_add_bytes(&zip, tn_text("x/byteorder"), tn_text(byte_order));
    for (uint64_t i = 0; i < count; i++) {
        tn_buffer_init(&data, file->memory, file->error);
        for (uint64_t k = 0; k < sizes[i]; k++)
            tn_buffer_byte(&data, (uint8_t)k);
        name[sizeof name - 2] = (char)('0' + i);
        tn_zip_add_bytes(&zip, tn_text(name), tn_buffer_bytes(&data));
        tn_buffer_done(&data);
    }
    tn_zip_add_bytes(&zip, tn_text("x/version"), tn_text("3\n"));
    tn_zip_finish(&zip);
    tn_zip_writer_done(&zip);
}

/* A stream with one storage, "0", of so many elements in so many bytes. */
static inline void pt_make_stream(struct tn_buffer *file, struct tn_bytes object,
                                  uint64_t count, uint64_t size)
{
    tn_buffer_add(file, tn_bytes(PT_STREAM_HEAD, sizeof PT_STREAM_HEAD - 1));
    tn_buffer_add(file, object);
    tn_buffer_add(file, tn_bytes("\x80\x02](U\0010e.", 9));
    tn_buffer_u64(file, count);
    for (uint64_t i = 0; i < size; i++)
        tn_buffer_byte(file, (uint8_t)i);
}

#endif
