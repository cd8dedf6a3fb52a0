/*
 * tag_make.c - containers for the bench: any number of tags and parameters
 *
 *   tag_make NOISE OUT TAGS PARAMS [FIRST]
 *
 * Every tag has parameters of its own, w0, w1, ..., whose elements are taken
 * from the file NOISE, as much of it as there is; their sum of all tags is its
 * size.  With FIRST the parameters from that number on are shared with the
 * first tag.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/samediff/tagged_write.h"
#include "io/file_source.h"
#include "io/output.h"

struct making {
    struct tn_memory     memory;
    struct tn_error      error;
    struct tn_source    *noise;
    struct tn_output    *output;
    struct tn_zip_writer zip;
    uint64_t             tags, params, own; /* `own`: parameters not shared   */
    uint64_t             count;             /* elements of one                */
};

static void stop_if_failed(const struct making *m)
{
    if (!tn_failed(&m->error))
        return;
    fprintf(stderr, "tag_make: %s\n", m->error.what);
    exit(1);
}

static void put_rope(struct making *m, const char *name, struct tn_rope *rope)
{
    tn_zip_add(&m->zip, tn_text(name), rope);
    tn_rope_done(rope);
    stop_if_failed(m);
}

static void put_graph(struct making *m, const char *name)
{
    struct tn_arena      arena;
    struct tn_fb_builder b;
    struct tn_rope       rope;
    int64_t              count = (int64_t)m->count;

    tn_arena_init(&arena, &m->memory);
    tn_fb_build_init(&b, &arena, &m->error);
    tn_rope_init(&rope, &arena, &m->error);
    uint32_t *refs = tn_new(&arena, uint32_t, m->params, &m->error);
    for (uint64_t i = 0; i < m->params; i++) {
        char text[32];
        snprintf(text, sizeof text, "w%" PRIu64, i);
        uint32_t shape = tn_fb_put_i64s(&b, &count, 1);
        uint32_t named = tn_fb_put_string(&b, tn_text(text));
        tn_fb_begin(&b);
        tn_fb_add_ref(&b, TN_TAGGED_VARIABLE_NAME, named);
        tn_fb_add_ref(&b, TN_TAGGED_VARIABLE_SHAPE, shape);
        tn_fb_add_i8(&b, TN_TAGGED_VARIABLE_DTYPE, TN_SD_FLOAT, 0);
        refs[i] = tn_fb_end(&b);
    }
    uint32_t all = tn_fb_put_refs(&b, refs, (uint32_t)m->params);
    tn_fb_begin(&b);
    tn_fb_add_u32(&b, TN_TAGGED_VERSION_SLOT, TN_TAGGED_VERSION, 0);
    tn_fb_add_ref(&b, TN_TAGGED_VARIABLES, all);
    tn_fb_finish(&b, tn_fb_end(&b), "SDGR", &rope);
    put_rope(m, name, &rope);
    tn_fb_build_done(&b);
    tn_arena_done(&arena);
}

static void put_array(struct making *m, const char *name, uint64_t number)
{
    struct tn_arena    arena;
    struct tn_rope     rope;
    struct tn_elements elements = { .shape = { TN_FLOAT32, 1, &m->count } };
    struct tn_span     span = { m->noise, number * m->count * 4, m->count * 4 };

    elements.payload = tn_payload_raw(&elements.shape, span, 1);
    tn_arena_init(&arena, &m->memory);
    tn_rope_init(&rope, &arena, &m->error);
    tn_tagged_array_rope(&elements, NULL, &arena, &m->memory, &rope, &m->error);
    put_rope(m, name, &rope);
    tn_arena_done(&arena);
}

static void put_tag(struct making *m, uint64_t tag)
{
    struct tn_buffer text;
    char             name[64];
    uint64_t         own = tag ? m->own : m->params;

    snprintf(name, sizeof name, "t%" PRIu64 "/graph.fb", tag);
    put_graph(m, name);
    tn_buffer_init(&text, &m->memory, &m->error);
    for (uint64_t i = 0; i < m->params; i++)
        tn_buffer_format(&text, "w%" PRIu64 " %s%" PRIu64 "\n", i,
                         i < own ? "" : "t0/", i);
    snprintf(name, sizeof name, "t%" PRIu64 "/params.txt", tag);
    tn_zip_add_bytes(&m->zip, tn_text(name), tn_buffer_bytes(&text));
    tn_buffer_done(&text);
    for (uint64_t i = 0; i < own; i++) {
        snprintf(name, sizeof name, "t%" PRIu64 "/params/%" PRIu64 ".fb", tag,
                 i);
        put_array(m, name, tag ? m->params + (tag - 1) * m->own + i : i);
    }
}

static void put_list(struct making *m)
{
    struct tn_buffer text;

    tn_buffer_init(&text, &m->memory, &m->error);
    for (uint64_t i = 0; i < m->tags; i++)
        tn_buffer_format(&text, "t%" PRIu64 "\n", i);
    tn_zip_add_bytes(&m->zip, tn_text("tags.txt"), tn_buffer_bytes(&text));
    tn_buffer_done(&text);
}

static void make(struct making *m, const char *noise, const char *out)
{
    struct tn_output_options how = { .can_replace = true };
    struct tn_sink          *sink;

    int file = open(noise, O_RDONLY | O_CLOEXEC);
    tn_source_file(&m->noise, &m->memory, file, noise, true, &m->error);
    stop_if_failed(m);
    m->count = m->noise->size / 4 / (m->params + (m->tags - 1) * m->own);
    tn_output_file(&m->output, &m->memory, out, &how, &m->error);
    stop_if_failed(m);
    tn_output_main(m->output, &sink, &m->error);
    stop_if_failed(m);
    tn_zip_writer_init(&m->zip, sink, &m->memory, &m->error);
    put_list(m);
    for (uint64_t i = 0; i < m->tags; i++)
        put_tag(m, i);
    tn_zip_finish(&m->zip);
    tn_output_commit(m->output, &m->error);
    stop_if_failed(m);
}

int main(int argc, char **argv)
{
    struct making m = { .error = TN_ERROR_INIT };

    if (argc < 5) {
        fprintf(stderr, "usage: tag_make NOISE OUT TAGS PARAMS [FIRST]\n");
        return 2;
    }
    m.tags   = strtoull(argv[3], NULL, 10);
    m.params = strtoull(argv[4], NULL, 10);
    m.own    = argc > 5 ? strtoull(argv[5], NULL, 10) : m.params;
    if (m.tags == 0 || m.params == 0 || m.own > m.params)
        return 2;
    tn_memory_init(&m.memory, NULL, 0);
    make(&m, argv[1], argv[2]);
    tn_zip_writer_done(&m.zip);
    tn_output_close(m.output);
    tn_source_close(m.noise);
    return 0;
}
