/*
 * node_text.h - nodes and constants out of text, op descriptors as text
 *
 * For tests of the import rules: what goes in is protobuf text, what comes out
 * one line.
 */
#ifndef TN_TESTS_NODE_TEXT_H
#define TN_TESTS_NODE_TEXT_H

#include <stdlib.h>

#include <tenon/interpret.h>

#include "base/buffer.h"
#include "base/number.h"
#include "support/hostile.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_text_read.h"

/* The bytes of a message; the caller frees them. */
static inline struct tn_bytes encode(enum tn_pb_builtin set, const char *type,
                                     const char *text)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_pb_schema schema;
    struct tn_source    source;
    struct tn_rope      rope;
    struct tn_buffer    out;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_source_memory(&source, &memory, tn_text(text));
    tn_rope_init(&rope, &arena, &error);
    tn_buffer_init(&out, &memory, &error);
    tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(set), &error);
    tn_pb_text_read(&schema, tn_pb_schema_find(&schema, type),
                    (struct tn_span){ &source, 0, strlen(text) }, &rope,
                    &error);
    if (tn_failed(&error))
        fail_msg("%s: %s", text, error.what);
    assert_int_equal(tn_rope_write(&rope, &out.sink, &error), TN_OK);
    struct tn_bytes bytes = { malloc(out.size + 1), out.size };
    assert_non_null(bytes.data);
    if (out.size > 0)
        memcpy((void *)(uintptr_t)bytes.data, out.data, out.size);
    tn_buffer_done(&out);
    tn_rope_done(&rope);
    tn_source_close(&source);
    tn_arena_done(&arena);
    return bytes;
}

static inline void encoded_free(struct tn_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

static inline struct tn_bytes encode_node(bool is_onnx, const char *text)
{
    return is_onnx ? encode(TN_PB_ONNX, "onnx.NodeProto", text)
                   : encode(TN_PB_TENSORFLOW, "tensorflow.NodeDef", text);
}

static inline struct tn_bytes encode_tensor(bool is_onnx, const char *text)
{
    return is_onnx ? encode(TN_PB_ONNX, "onnx.TensorProto", text)
                   : encode(TN_PB_TENSORFLOW, "tensorflow.TensorProto", text);
}

static inline void print_arg(struct tn_buffer *out, const struct tn_arg *arg)
{
    char number[TN_NUMBER_ROOM];

    switch (arg->type) {
    case TN_ARG_DOUBLE:
    case TN_ARG_FLOAT:
        tn_double_print(number, arg->real);
        tn_buffer_text(out, number);
        break;
    case TN_ARG_BOOL:
        tn_buffer_text(out, arg->number ? "true" : "false");
        break;
    case TN_ARG_STRING:
        tn_buffer_format(out, "\"%.*s\"", TN_FMT(arg->text));
        break;
    case TN_ARG_INPUT_TENSOR:
    case TN_ARG_OUTPUT_TENSOR: tn_buffer_add(out, arg->name); break;
    default: tn_buffer_format(out, "%lld", (long long)arg->number); break;
    }
}

/* "conv2d in[x w] i[1 2]": the lists that are not empty, outputs aside. */
static inline void print_call(struct tn_buffer              *out,
                              const struct tn_op_descriptor *op)
{
    tn_buffer_add(out, op->name);
    for (unsigned k = 0; k < TN_LIST_COUNT; k++) {
        if (k == TN_LIST_OUT || op->lists[k].count == 0)
            continue;
        tn_buffer_format(out, " %s[", tn_arg_list_name((enum tn_arg_list)k));
        for (uint32_t i = 0; i < op->lists[k].count; i++) {
            tn_buffer_text(out, i ? " " : "");
            print_arg(out, &op->lists[k].items[i]);
        }
        tn_buffer_byte(out, ']');
    }
}

#endif
