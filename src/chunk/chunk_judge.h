/*
 * chunk_judge.h - schemas, and messages encoded by protoc, for the tests here
 *
 * Included by tests only.  Small .proto files are in tests/corpus; protoc
 * compiles them when the test runs.
 */
#ifndef TN_CHUNK_JUDGE_H
#define TN_CHUNK_JUDGE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "support/hostile.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_text_read.h"

struct judge {
    struct tn_memory            memory;
    struct tn_arena             arena;
    struct tn_pb_schema         testdata, old, new, tensorflow, splitter;
    const struct tn_pb_message *many, *strings, *lists, *tree;
};

/* The descriptor set of tests/corpus/FOLDER/NAME.proto; free it. */
static inline struct tn_bytes judge_set(const char *folder, const char *name)
{
    char        path[300], command[1200];
    const char *tmp = getenv("TMPDIR");

    snprintf(path, sizeof path, "%s/tenon-chunk-%ld", tmp ? tmp : "/tmp",
             (long)getpid());
    snprintf(command, sizeof command,
             "protoc -I '%s/%s' --include_imports --descriptor_set_out='%s' "
             "'%s/%s/%s.proto'",
             TN_CORPUS, folder, path, TN_CORPUS, folder, name);
    assert_int_equal(system(command), 0);
    struct tn_bytes set = tn_load_file(path);
    remove(path);
    assert_non_null(set.data);
    return set;
}

static inline void judge_schema(struct judge        *judge,
                                struct tn_pb_schema *schema, const char *folder,
                                const char *name)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_bytes set   = judge_set(folder, name);

    tn_pb_schema_load(schema, &judge->arena, set, &error);
    assert_int_equal(error.status, TN_OK);
    free((void *)(uintptr_t)set.data);
}

static inline void judge_open(struct judge *judge)
{
    struct tn_error error = TN_ERROR_INIT;

    tn_memory_init(&judge->memory, NULL, 0);
    tn_arena_init(&judge->arena, &judge->memory);
    judge_schema(judge, &judge->testdata, "chunk", "testdata");
    judge_schema(judge, &judge->old, "pb", "old");
    judge_schema(judge, &judge->new, "pb", "new");
    tn_pb_schema_load(&judge->tensorflow, &judge->arena,
                      tn_pb_builtin_set(TN_PB_TENSORFLOW), &error);
    tn_pb_schema_load(&judge->splitter, &judge->arena,
                      tn_pb_builtin_set(TN_PB_PROTO_SPLITTER), &error);
    assert_int_equal(error.status, TN_OK);
#define TYPE(name)                                                             \
    tn_pb_schema_find(&judge->testdata,                                        \
                      "tensorflow.proto_splitter_testdata." name)
    judge->many    = TYPE("ManyFields");
    judge->strings = TYPE("RepeatedString");
    judge->lists   = TYPE("RepeatedRepeatedString");
    judge->tree    = TYPE("StringNode");
#undef TYPE
}

static inline void judge_close(struct judge *judge)
{
    tn_arena_done(&judge->arena);
    assert_int_equal(judge->memory.used, 0);
}

/* Text to bytes; the caller frees the buffer. */
static inline void judge_encode(struct judge              *judge,
                                const struct tn_pb_schema *schema,
                                const char *type, const char *text,
                                struct tn_buffer *to)
{
    static struct tn_error error; /* the buffer keeps a pointer to it */
    struct tn_source       source;
    struct tn_rope         rope;

    error = (struct tn_error)TN_ERROR_INIT;
    tn_source_memory(&source, &judge->memory, tn_text(text));
    tn_rope_init(&rope, &judge->arena, &error);
    tn_buffer_init(to, &judge->memory, &error);
    tn_pb_text_read(schema, tn_pb_schema_find(schema, type),
                    (struct tn_span){ &source, 0, source.size }, &rope, &error);
    tn_rope_write(&rope, &to->sink, &error);
    assert_string_equal(error.what, "");
    tn_rope_done(&rope);
    tn_source_close(&source);
}

#endif
