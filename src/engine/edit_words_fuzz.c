/*
 * edit_words_fuzz.c - any bytes as a script of actions
 *
 * What is read is written, and then reads as the same.  Then it is run on an
 * empty ONNX model: actions fail, and nothing else happens.
 */
#include <assert.h>

#include <tenon/edit.h>

#include "engine/edit_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_all(struct tn_bytes text, struct tn_buffer *to,
                     struct tn_error *error)
{
    struct tn_words_reader reader;
    struct tn_words        words;
    struct tn_arena        arena;

    tn_arena_init(&arena, to->memory);
    tn_words_init(&reader, to->memory, text);
    while (tn_words_next(&reader, &arena, &words, error)) {
        for (uint32_t i = 0; i < words.count; i++)
            tn_words_put(to, tn_text(words.items[i]));
        tn_buffer_text(to, "\n");
    }
    tn_words_done(&reader);
    tn_arena_done(&arena);
    return error->status == TN_OK;
}

static void read_twice(struct tn_bytes text, struct tn_memory *memory)
{
    struct tn_error  error = TN_ERROR_INIT, own = TN_ERROR_INIT;
    struct tn_buffer one, two;

    tn_buffer_init(&one, memory, &own);
    tn_buffer_init(&two, memory, &own);
    if (read_all(text, &one, &error)) {
        assert(read_all(tn_buffer_bytes(&one), &two, &error));
        assert(tn_bytes_equal(tn_buffer_bytes(&one), tn_buffer_bytes(&two)));
    } else {
        assert(error.status == TN_INVALID);
        assert(strncmp(error.what, "line ", 5) == 0);
    }
    tn_buffer_done(&two);
    tn_buffer_done(&one);
}

/* Files that a script names are not opened here. */
static bool names_files(struct tn_bytes text)
{
    static const char *const words[] = { "script", "put",    "weights", "from",
                                         "take",   "append", "tensor",  NULL };

    for (const char *const *word = words; *word; word++)
        for (size_t at = 0; at + strlen(*word) <= text.size; at++)
            if (memcmp(text.data + at, *word, strlen(*word)) == 0)
                return true;
    return false;
}

static void run(struct tn_bytes text)
{
    const char *const x[] = { "x" }, *const y[] = { "y" };
    struct tn_op_spec spec   = { .name         = "n",
                                 .type         = "Relu",
                                 .inputs       = x,
                                 .input_count  = 1,
                                 .outputs      = y,
                                 .output_count = 1 };
    struct tn_io      input  = { .name = tn_text("x"), .dtype = TN_FLOAT32 };
    struct tn_io      output = { .name = tn_text("y"), .dtype = TN_FLOAT32 };
    struct tn_error   error  = TN_ERROR_INIT;
    struct tn_model  *made   = NULL;
    struct tn_edit   *edit;

    assert(tn_edit_new(&edit, "onnx", NULL, &error) == TN_OK);
    tn_edit_add_input(edit, 0, &input, &error);
    tn_edit_add_op(edit, 0, TN_NONE, &spec, NULL, &error);
    tn_edit_add_output(edit, 0, &output, &error);
    assert(error.status == TN_OK);
    if (tn_edit_run(edit, text, &error) == TN_OK)
        tn_edit_commit(edit, &made, &error);
    tn_model_close(made);
    tn_edit_close(edit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory memory;

    tn_memory_init(&memory, NULL, 0);
    read_twice(tn_bytes(data, size), &memory);
    assert(memory.used == 0);
    if (!names_files(tn_bytes(data, size)))
        run(tn_bytes(data, size));
    return 0;
}
