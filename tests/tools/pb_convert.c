/*
 * pb_convert.c - a message from one spelling to another, many at a time
 *
 *   pb_convert DESC TYPE FROM TO < in > out
 *   pb_convert DESC TYPE FROM TO FOLDER SUFFIX FILE...
 *
 * FROM and TO are binary, text, json or camel (JSON with lowerCamel names); TO
 * may also be losses or json-losses: what a dump would lose, a line each.
 * With files, FILE number n becomes FOLDER/n.SUFFIX; what cannot be converted
 * is reported and counted.  DESC is a descriptor set, or "onnx" or
 * "tensorflow" for those that the library carries.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rope.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_json_read.h"
#include "wire/pb/pb_json_write.h"
#include "wire/pb/pb_losses.h"
#include "wire/pb/pb_text_read.h"
#include "wire/pb/pb_text_write.h"

struct tool {
    struct tn_memory            memory;
    struct tn_arena             schema_arena;
    struct tn_pb_schema         schema;
    const struct tn_pb_message *type;
    const char                 *from, *to;
};

/* A sink over stdio. */
struct file_sink {
    struct tn_sink sink;
    FILE          *file;
};

static enum tn_status file_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    FILE *file = ((struct file_sink *)sink)->file;

    if (fwrite(bytes.data, 1, bytes.size, file) != bytes.size)
        return tn_error_set(error, TN_IO, TN_NOWHERE, "cannot write");
    return TN_OK;
}

static const struct tn_sink_ops file_ops = { .write = file_write };

static bool load(FILE *file, struct tn_buffer *to)
{
    for (;;) {
        uint8_t *room = tn_buffer_room(to, 65536);
        size_t   size = room ? fread(room, 1, 65536, file) : 0;
        to->size += size;
        if (size == 0)
            return room && !ferror(file);
    }
}

struct loss_sink {
    struct tn_sink  *to;
    struct tn_error *error;
};

static void write_loss(void *context, const struct tn_pb_loss *loss)
{
    struct loss_sink *sink = context;
    char              line[512];
    int               size =
        snprintf(line, sizeof line, "%llu %.200s: %s\n",
                 (unsigned long long)loss->offset, loss->where, loss->what);

    tn_sink_write(sink->to, tn_bytes(line, (size_t)size), sink->error);
}

static enum tn_status write_losses(struct tool *t, struct tn_span message,
                                   struct tn_sink *to, struct tn_error *error)
{
    struct loss_sink    sink   = { to, error };
    struct tn_pb_losses losses = {
        .schema   = &t->schema,
        .spelling = t->to[0] == 'j' ? TN_PB_AS_JSON : TN_PB_AS_TEXT,
        .report   = write_loss,
        .context  = &sink,
    };

    return tn_pb_losses_find(&losses, t->type, message, &t->memory, error);
}

static enum tn_status write_message(struct tool *t, struct tn_span message,
                                    struct tn_sink *to, struct tn_error *error)
{
    struct tn_pb_json_options options = {
        .schema                = &t->schema,
        .is_pretty             = true,
        .has_lower_camel_names = strcmp(t->to, "camel") == 0,
    };

    if (strcmp(t->to, "binary") == 0)
        return tn_sink_splice(to, message, error);
    if (strcmp(t->to, "text") == 0)
        return tn_pb_text_write(t->type, message, to, &t->memory, error);
    if (strstr(t->to, "losses"))
        return write_losses(t, message, to, error);
    return tn_pb_json_write(t->type, message, &options, to, &t->memory, error);
}

/* Text becomes binary first, and then what was asked for. */
static enum tn_status read_message(struct tool *t, struct tn_span text,
                                   struct tn_rope *to, struct tn_error *error)
{
    if (strcmp(t->from, "text") == 0)
        return tn_pb_text_read(&t->schema, t->type, text, to, error);
    return tn_pb_json_read(&t->schema, t->type, text, to, error);
}

static enum tn_status through_binary(struct tool *t, struct tn_span text,
                                     struct tn_sink *to, struct tn_error *error)
{
    struct tn_arena  arena;
    struct tn_rope   rope;
    struct tn_buffer bytes;
    struct tn_source source;

    tn_arena_init(&arena, &t->memory);
    tn_rope_init(&rope, &arena, error);
    tn_buffer_init(&bytes, &t->memory, error);
    bool is_last = strcmp(t->to, "binary") == 0;
    if (read_message(t, text, &rope, error) == TN_OK)
        tn_rope_write(&rope, is_last ? to : &bytes.sink, error);
    if (!is_last && !tn_failed(error)) {
        tn_source_memory(&source, &t->memory, tn_buffer_bytes(&bytes));
        write_message(t, (struct tn_span){ &source, 0, source.size }, to,
                      error);
        tn_source_close(&source);
    }
    tn_buffer_done(&bytes);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}

static bool convert(struct tool *t, const char *name, FILE *in, FILE *out)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer input;
    struct file_sink sink = { { &file_ops, 0 }, out };
    struct tn_source source;

    tn_buffer_init(&input, &t->memory, &error);
    if (!load(in, &input))
        tn_error_set(&error, TN_IO, TN_NOWHERE, "cannot read");
    tn_source_memory(&source, &t->memory, tn_buffer_bytes(&input));
    struct tn_span all = { &source, 0, source.size };
    if (!tn_failed(&error) && strcmp(t->from, "binary") == 0)
        write_message(t, all, &sink.sink, &error);
    else if (!tn_failed(&error))
        through_binary(t, all, &sink.sink, &error);
    tn_source_close(&source);
    tn_buffer_done(&input);
    if (tn_failed(&error))
        fprintf(stderr, "%s: %s at byte %lld: %s: %s\n", name,
                tn_status_name(error.status), (long long)error.offset,
                error.where, error.what);
    return !tn_failed(&error);
}

static struct tn_bytes load_set(const char *name, struct tn_buffer *set)
{
    if (strcmp(name, "onnx") == 0)
        return tn_pb_builtin_set(TN_PB_ONNX);
    if (strcmp(name, "tensorflow") == 0)
        return tn_pb_builtin_set(TN_PB_TENSORFLOW);
    FILE *file = fopen(name, "rb");
    if (file && load(file, set))
        fclose(file);
    return tn_buffer_bytes(set);
}

static bool open_tool(struct tool *t, char **argv, struct tn_error *error)
{
    struct tn_buffer set;

    tn_memory_init(&t->memory, NULL, 0);
    tn_arena_init(&t->schema_arena, &t->memory);
    tn_buffer_init(&set, &t->memory, error);
    tn_pb_schema_load(&t->schema, &t->schema_arena, load_set(argv[1], &set),
                      error);
    tn_buffer_done(&set);
    if (!tn_failed(error))
        t->type = tn_pb_schema_find(&t->schema, argv[2]);
    t->from = argv[3];
    t->to   = argv[4];
    return t->type != NULL;
}

static int convert_files(struct tool *t, int argc, char **argv)
{
    int failures = 0;

    for (int i = 7; i < argc; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%d.%s", argv[5], i - 7, argv[6]);
        FILE *in = fopen(argv[i], "rb"), *out = fopen(path, "wb");
        if (!in || !out || !convert(t, argv[i], in, out))
            failures++;
        if (in)
            fclose(in);
        if (out)
            fclose(out);
    }
    return failures;
}

int main(int argc, char **argv)
{
    struct tool     t     = { .type = NULL };
    struct tn_error error = TN_ERROR_INIT;
    int             failures;

    if (argc != 5 && argc < 8) {
        fprintf(stderr, "usage: pb_convert DESC TYPE FROM TO "
                        "[FOLDER SUFFIX FILE...]\n");
        return 2;
    }
    if (!open_tool(&t, argv, &error)) {
        fprintf(stderr, "pb_convert: %s: %s\n", argv[2],
                tn_failed(&error) ? error.what : "no such type");
        return 2;
    }
    if (argc == 5)
        failures = !convert(&t, "input", stdin, stdout);
    else
        failures = convert_files(&t, argc, argv);
    tn_arena_done(&t.schema_arena);
    return failures ? 1 : 0;
}
