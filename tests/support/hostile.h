/*
 * hostile.h - what every grammar must survive, one line a test
 *
 * The function under test gets bytes that end at an unmapped page, a budget
 * that may run dry, and an error to fill in.
 */
#ifndef TN_TESTS_HOSTILE_H
#define TN_TESTS_HOSTILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/byte_view.h"
#include "base/error.h"
#include "base/memory.h"

typedef enum tn_status tn_reader_under_test(struct tn_bytes   input,
                                            struct tn_memory *memory,
                                            struct tn_error  *error);

/* A copy whose last byte is followed by an unmapped page. */
struct tn_guarded {
    struct tn_bytes bytes;
    void           *mapping;
    size_t          mapped;
};
struct tn_guarded tn_guard(struct tn_bytes bytes);
void              tn_unguard(struct tn_guarded *guarded);

/* Hex with spaces ("08 01 ff") to bytes; the caller frees .data. */
struct tn_bytes tn_hex(const char *hex);

/* A whole file; .data NULL when it is not there.  The caller frees it. */
struct tn_bytes tn_load_file(const char *path);

/* An allocator that fails after `left` allocations and counts what is out:
 * struct tn_allocator a = { tn_budget_resize, &budget }. */
struct tn_budget {
    uint64_t left;
    uint64_t blocks;
};
void *tn_budget_resize(void *context, void *memory, size_t old_size,
                       size_t new_size);

/* Every proper prefix is refused, unless `is_good` says that it is itself good
 * (NULL: none is). */
void tn_refuses_every_prefix(tn_reader_under_test *read, struct tn_bytes good,
                             bool (*is_good)(struct tn_bytes prefix));

/* Every byte flipped in several ways never crashes; failures carry a status, a
 * message and an offset that is inside or TN_NOWHERE. */
void tn_survives_every_flip(tn_reader_under_test *read, struct tn_bytes good);

/* The n-th allocation fails, for all n until the call succeeds: NO_MEMORY each
 * time, and everything is given back. */
void tn_survives_no_memory(tn_reader_under_test *read, struct tn_bytes good);

/* All three. */
void tn_survives_hostility(tn_reader_under_test *read, struct tn_bytes good);

#endif
