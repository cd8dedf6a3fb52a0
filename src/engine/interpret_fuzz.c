/*
 * interpret_fuzz.c - any bytes as a node, and as what is known of its inputs
 *
 * What stands before the first zero byte is text of inputs, the rest the node:
 * protobuf text, JSON or binary.  Claims: there is a descriptor or an error,
 * all that is described can be written, and what is written has the size that
 * was told.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/interpret.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void encode(const struct tn_op_descriptor *op,
                   enum tn_descriptor_form        form)
{
    struct tn_error error = TN_ERROR_INIT;
    size_t          size, again;

    assert(tn_op_descriptor_encode(op, form, true, NULL, 0, &size, &error) ==
           TN_OK);
    uint8_t *bytes = malloc(size + 1);
    assert(bytes);
    assert(tn_op_descriptor_encode(op, form, true, bytes, size, &again,
                                   &error) == TN_OK);
    assert(size == again);
    free(bytes);
}

/* Rules are read once: they are most of the work. */
static struct tn_interpreter *interpreter;

static void close_interpreter(void)
{
    tn_interpreter_close(interpreter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tn_interpreter_options none  = { .file_count = 0 };
    struct tn_error                     error = TN_ERROR_INIT;
    struct tn_op_descriptor            *op;
    const uint8_t              *zero    = size ? memchr(data, 0, size) : NULL;
    struct tn_interpret_context context = { .inputs = zero ? (const char *)data
                                                           : NULL };
    size_t                      at      = zero ? (size_t)(zero - data) + 1 : 0;

    if (!interpreter) {
        assert(tn_interpreter_open(&interpreter, &none, NULL, &error) == TN_OK);
        atexit(close_interpreter);
    }
    tn_interpret_node(&op, interpreter,
                      (struct tn_bytes){ data + at, size - at }, &context,
                      &error);
    assert((op == NULL) == (error.status != TN_OK));
    if (op) {
        encode(op, TN_DESCRIPTOR_BINARY);
        encode(op, TN_DESCRIPTOR_TEXT);
        encode(op, TN_DESCRIPTOR_JSON);
    }
    tn_op_descriptor_close(op);
    return 0;
}
