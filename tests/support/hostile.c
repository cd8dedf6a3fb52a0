/* hostile.c - what every grammar must survive, one line a test */
#define _GNU_SOURCE
#include "support/hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct tn_guarded tn_guard(struct tn_bytes bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (bytes.size + page - 1) / page * page;

    uint8_t *base = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(base != MAP_FAILED);
    assert_int_equal(mprotect(base + room, page, PROT_NONE), 0);
    uint8_t *at = base + room - bytes.size;
    if (bytes.size)
        memcpy(at, bytes.data, bytes.size);
    return (struct tn_guarded){ tn_bytes(at, bytes.size), base, room + page };
}

void tn_unguard(struct tn_guarded *guarded)
{
    munmap(guarded->mapping, guarded->mapped);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

struct tn_bytes tn_hex(const char *hex)
{
    uint8_t *bytes = malloc(strlen(hex) / 2 + 1);
    size_t   size  = 0;

    assert_non_null(bytes);
    while (*hex) {
        if (*hex == ' ') {
            hex++;
            continue;
        }
        int high = hex_digit(hex[0]), low = hex_digit(hex[1]);
        assert_true(high >= 0 && low >= 0);
        bytes[size++] = (uint8_t)(high << 4 | low);
        hex += 2;
    }
    return tn_bytes(bytes, size);
}

struct tn_bytes tn_load_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return tn_bytes(NULL, 0);
    fseek(file, 0, SEEK_END);
    long     size  = ftell(file);
    uint8_t *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    return tn_bytes(bytes, (size_t)size);
}

static enum tn_status run(tn_reader_under_test *read, struct tn_bytes input,
                          struct tn_error *error)
{
    struct tn_memory  memory;
    struct tn_guarded guarded = tn_guard(input);

    tn_memory_init(&memory, NULL, 0);
    enum tn_status status = read(guarded.bytes, &memory, error);
    assert_int_equal(status, error->status);
    assert_int_equal(memory.used, 0); /* everything was given back */
    tn_unguard(&guarded);
    return status;
}

static void complains_well(const struct tn_error *error, size_t size)
{
    assert_true(error->what[0] != '\0');
    assert_true(error->offset == TN_NOWHERE || error->offset <= size);
}

void tn_refuses_every_prefix(tn_reader_under_test *read, struct tn_bytes good,
                             bool (*is_good)(struct tn_bytes prefix))
{
    for (size_t size = 0; size < good.size; size++) {
        struct tn_bytes prefix = tn_bytes(good.data, size);
        struct tn_error error  = TN_ERROR_INIT;
        if (is_good && is_good(prefix))
            continue;
        if (run(read, prefix, &error) == TN_OK)
            fail_msg("the first %zu bytes of %zu were accepted", size,
                     good.size);
        complains_well(&error, size);
    }
}

void tn_survives_every_flip(tn_reader_under_test *read, struct tn_bytes good)
{
    static const uint8_t masks[] = { 0x01, 0x80, 0xff };
    uint8_t             *copy    = malloc(good.size + 1);

    assert_non_null(copy);
    for (size_t i = 0; i < good.size * sizeof masks; i++) {
        struct tn_error error = TN_ERROR_INIT;
        memcpy(copy, good.data, good.size);
        copy[i / sizeof masks] ^= masks[i % sizeof masks];
        if (run(read, tn_bytes(copy, good.size), &error) != TN_OK)
            complains_well(&error, good.size);
    }
    free(copy);
}

void *tn_budget_resize(void *context, void *memory, size_t old_size,
                       size_t new_size)
{
    struct tn_budget *budget = context;

    (void)old_size;
    if (new_size == 0) {
        budget->blocks -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (budget->left == 0)
        return NULL;
    budget->left--;
    void *moved = realloc(memory, new_size);
    budget->blocks += !memory && moved;
    return moved;
}

void tn_survives_no_memory(tn_reader_under_test *read, struct tn_bytes good)
{
    for (uint64_t n = 0;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_memory    memory;

        tn_memory_init(&memory, &allocator, 0);
        enum tn_status status = read(good, &memory, &error);
        assert_int_equal(budget.blocks, 0);
        assert_int_equal(status, error.status);
        if (status == TN_OK)
            return;
        assert_int_equal(status, TN_NO_MEMORY);
    }
}

void tn_survives_hostility(tn_reader_under_test *read, struct tn_bytes good)
{
    tn_refuses_every_prefix(read, good, NULL);
    tn_survives_every_flip(read, good);
    tn_survives_no_memory(read, good);
}
