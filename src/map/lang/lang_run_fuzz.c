/*
 * lang_run_fuzz.c - any text as rules that are checked and run
 *
 * Claims: whatever a rule says, running its examples ends, in bounded time and
 * memory, with an outcome or an error.
 */
#include <assert.h>

#include "map/lang/lang_check.h"
#include "map/lang/lang_example.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An example may take 2^24 steps: more than these would take the fuzzer's time
 * and show nothing new. */
#define EXAMPLES 2

static void check(const struct tn_lang_file *file, struct tn_arena *arena)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_vocab     vocabs[2];
    struct tn_lang_side from, to;

    if (tn_lang_side_open(&from, &vocabs[0], arena, file->from, &error) ==
            TN_OK &&
        tn_lang_side_open(&to, &vocabs[1], arena, file->to, &error) == TN_OK)
        tn_lang_check(file, &from, &to, NULL, NULL, &error);
}

static void run_one(const struct tn_lang_file      *file,
                    const struct tn_example_shapes *both, uint64_t index,
                    struct tn_memory *memory)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_arena arena;
    const char     *why;

    tn_arena_init(&arena, memory);
    tn_lang_example_run(
        file, both, tn_list_at(&file->examples, struct tn_lang_example, index),
        &arena, &why, &error);
    assert(tn_failed(&error) || !why || why[0]);
    tn_arena_done(&arena);
}

static void run(const struct tn_lang_file *file, struct tn_arena *arena,
                struct tn_memory *memory)
{
    struct tn_error          error = TN_ERROR_INIT;
    struct tn_example_shapes both;

    if (tn_example_shapes_open(&both, file, arena, &error) == TN_OK)
        for (uint64_t i = 0; i < file->examples.count && i < EXAMPLES; i++)
            run_one(file, &both, i, memory);
    tn_example_shapes_done(&both);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_lang_file file;

    tn_memory_init(&memory, NULL, 256 << 20);
    tn_arena_init(&arena, &memory);
    if (tn_lang_parse(&file, &arena, "a.rules", tn_bytes(data, size), &error) ==
        TN_OK) {
        check(&file, &arena);
        if (!file.is_shapes)
            run(&file, &arena, &memory);
    }
    tn_lang_done(&file);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
