/* gguf_testing.h - little GGUF files, for the tests and the fuzzer */
#ifndef TN_FORMAT_GGUF_TESTING_H
#define TN_FORMAT_GGUF_TESTING_H

#include "base/buffer.h"
#include "format/gguf/gguf_header.h"

/* A file that is being made: any version and byte order. */
struct gguf_making {
    struct tn_buffer *to;
    uint32_t          version;
    bool              is_big;
};

static inline void gguf_number(struct gguf_making *m, uint64_t value,
                               unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        tn_buffer_byte(m->to, (uint8_t)(value >> 8 * (m->is_big ? size - 1 - i
                                                                : i)));
}

static inline void gguf_size(struct gguf_making *m, uint64_t value)
{
    gguf_number(m, value, m->version == 1 ? 4 : 8);
}

static inline void gguf_text(struct gguf_making *m, const char *text)
{
    gguf_size(m, strlen(text));
    tn_buffer_text(m->to, text);
}

static inline void gguf_head(struct gguf_making *m, uint64_t tensors,
                             uint64_t pairs)
{
    tn_buffer_text(m->to, TN_GGUF_MAGIC);
    gguf_number(m, m->version, 4);
    gguf_size(m, tensors);
    gguf_size(m, pairs);
}

static inline void gguf_pair(struct gguf_making *m, const char *key,
                             uint32_t type)
{
    gguf_text(m, key);
    gguf_number(m, type, 4);
}

static inline void gguf_pair_text(struct gguf_making *m, const char *key,
                                  const char *value)
{
    gguf_pair(m, key, TN_GGUF_STRING);
    gguf_text(m, value);
}

static inline void gguf_pair_number(struct gguf_making *m, const char *key,
                                    uint32_t type, uint64_t value)
{
    gguf_pair(m, key, type);
    gguf_number(m, value, tn_gguf_value_size(type));
}

/* Of `rank` dimensions; the fastest is ne0, the next ne1, others 1. */
static inline void gguf_tensor(struct gguf_making *m, const char *name,
                               uint32_t rank, uint64_t ne0, uint64_t ne1,
                               uint32_t type, uint64_t offset)
{
    gguf_text(m, name);
    gguf_number(m, rank, 4);
    for (uint32_t i = 0; i < rank && i < 8; i++)
        gguf_size(m, i == 0 ? ne0 : i == 1 ? ne1 : 1);
    gguf_number(m, type, 4);
    gguf_number(m, offset, 8);
}

static inline void gguf_pad(struct gguf_making *m, unsigned alignment)
{
    while (m->to->size % alignment)
        tn_buffer_byte(m->to, 0);
}

/* Bytes of data that count up. */
static inline void gguf_data(struct gguf_making *m, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        tn_buffer_byte(m->to, (uint8_t)(i * 5 + 1));
}

/* A file with values of all kinds and two tensors, one of them of blocks. */
static inline void gguf_sample(struct gguf_making *m)
{
    gguf_head(m, 2, 7);
    gguf_pair_text(m, "general.architecture", "llama");
    gguf_pair_number(m, "a.u8", TN_GGUF_UINT8, 200);
    gguf_pair_number(m, "a.bool", TN_GGUF_BOOL, 1);
    gguf_pair_number(m, "a.f64", TN_GGUF_FLOAT64, UINT64_C(0x3ff8) << 48);
    gguf_pair(m, "a.numbers", TN_GGUF_ARRAY);
    gguf_number(m, TN_GGUF_INT16, 4);
    gguf_size(m, 3);
    for (unsigned i = 0; i < 3; i++)
        gguf_number(m, 65535 - i, 2);
    gguf_pair(m, "a.texts", TN_GGUF_ARRAY);
    gguf_number(m, TN_GGUF_STRING, 4);
    gguf_size(m, 2);
    gguf_text(m, "x");
    gguf_text(m, "");
    gguf_pair_number(m, "general.alignment", TN_GGUF_UINT32, 64);
    gguf_tensor(m, "w", 2, 64, 2, 8, 0); /* q8_0: 4 blocks of 34 bytes */
    gguf_tensor(m, "b", 1, 3, 0, 0, 192);
    gguf_pad(m, 64);
    gguf_data(m, 4 * 34);
    gguf_pad(m, 64);
    gguf_data(m, 3 * 4);
    gguf_pad(m, 64);
}

#endif
