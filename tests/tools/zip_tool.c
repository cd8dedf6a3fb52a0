/*
 * zip_tool.c - src/wire/zip from the shell, for judges and for measuring
 *
 *   zip_tool create OUT|- NAME=PATH...    a zip of files; *.txt are deflated
 *   zip_tool many OUT COUNT               so many little entries
 *   zip_tool grow FILE NAME=PATH...       one more commit, durable
 *   zip_tool drop FILE NAME...            a commit without them
 *   zip_tool anew FILE                    the same entries, written anew
 *   zip_tool rebuild FILE                 from the local headers
 *   zip_tool list FILE [own]              name, size, method, crc, data offset
 *   zip_tool cat FILE NAME                the bytes of an entry
 *   zip_tool verify FILE [THREADS]        every checksum
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/file_source.h"
#include "io/output.h"
#include "wire/zip/zip_edit.h"

struct tool {
    struct tn_memory memory;
    struct tn_error  error;
    char           **words;
    int              count;
};

static struct tn_source *open_source(struct tool *t, const char *path)
{
    struct tn_source *source = NULL;
    int               file   = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        tn_error_set(&t->error, TN_IO, TN_NOWHERE, "cannot open %s", path);
    else
        tn_source_file(&source, &t->memory, file, path, true, &t->error);
    return source;
}

/* NAME=PATH */
static void add_file(struct tool *t, struct tn_zip_writer *w, char *word)
{
    char             *path   = strchr(word, '=');
    struct tn_bytes   name   = tn_bytes(word, (size_t)(path - word));
    struct tn_source *source = open_source(t, path + 1);
    struct tn_arena   arena;
    struct tn_rope    rope;

    if (!source)
        return;
    tn_arena_init(&arena, &t->memory);
    tn_rope_init(&rope, &arena, &t->error);
    tn_rope_span(&rope, (struct tn_span){ source, 0, source->size });
    if (name.size > 4 && !memcmp(path - 4, ".txt", 4))
        tn_zip_add_deflated(w, name, &rope, 0);
    else
        tn_zip_add(w, name, &rope);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    tn_source_close(source);
}

static void write_new(struct tool *t,
                      void (*fill)(struct tool *t, struct tn_zip_writer *w))
{
    struct tn_output_options how    = { .can_replace = true };
    struct tn_output        *output = NULL;
    struct tn_sink          *sink;
    struct tn_zip_writer     w;

    if (tn_output_file(&output, &t->memory, t->words[0], &how, &t->error) ==
            TN_OK &&
        tn_output_main(output, &sink, &t->error) == TN_OK) {
        tn_zip_writer_init(&w, sink, &t->memory, &t->error);
        fill(t, &w);
        if (!tn_failed(&t->error) && tn_zip_finish(&w) == TN_OK)
            tn_output_commit(output, &t->error);
        tn_zip_writer_done(&w);
    }
    tn_output_close(output);
}

static void fill_files(struct tool *t, struct tn_zip_writer *w)
{
    for (int i = 1; i < t->count; i++)
        add_file(t, w, t->words[i]);
}

static void fill_many(struct tool *t, struct tn_zip_writer *w)
{
    char name[64];
    long count = atol(t->words[1]);

    for (long i = 0; i < count; i++) {
        snprintf(name, sizeof name, "tag%ld/params/%ld.fb", i / 1000, i);
        tn_zip_add_bytes(w, tn_text(name), tn_text(name));
    }
}

static void do_create(struct tool *t)
{
    write_new(t, fill_files);
}

static void do_many(struct tool *t)
{
    write_new(t, fill_many);
}

static void edit(struct tool *t,
                 void (*fill)(struct tool *t, struct tn_zip_edit *e),
                 bool is_anew)
{
    struct tn_append_options how = { .is_durable = true };
    struct tn_zip_edit       e;
    enum tn_status           status =
        is_anew ? tn_zip_rewrite(&e, &t->memory, t->words[0], &how, &t->error)
                          : tn_zip_grow(&e, &t->memory, t->words[0], &how, &t->error);

    if (status == TN_OK) {
        fill(t, &e);
        tn_zip_commit(&e);
    }
    tn_zip_edit_close(&e);
}

static void fill_growth(struct tool *t, struct tn_zip_edit *e)
{
    fill_files(t, &e->writer);
}

static void fill_drop(struct tool *t, struct tn_zip_edit *e)
{
    for (int i = 1; i < t->count; i++)
        if (!tn_zip_drop(&e->writer, tn_text(t->words[i])))
            tn_error_set(&t->error, TN_NOT_FOUND, TN_NOWHERE, "no %s",
                         t->words[i]);
}

static void fill_copies(struct tool *t, struct tn_zip_edit *e)
{
    (void)t;
    for (uint64_t i = 0; i < tn_zip_count(&e->zip); i++)
        tn_zip_copy(&e->writer, tn_bytes(NULL, 0), &e->zip,
                    tn_zip_in_order(&e->zip, i));
}

static void do_grow(struct tool *t)
{
    edit(t, fill_growth, false);
}

static void do_drop(struct tool *t)
{
    edit(t, fill_drop, false);
}

static void do_anew(struct tool *t)
{
    edit(t, fill_copies, true);
}

static void do_rebuild(struct tool *t)
{
    tn_zip_rebuild(&t->memory, t->words[0], NULL, NULL, NULL, &t->error);
}

static int tell_finding(void *context, enum tn_finding_level level,
                        const char *rule, const struct tn_error *finding)
{
    (void)context;
    (void)level;
    fprintf(stderr, "%s: at %" PRIu64 ": %s\n", rule, finding->offset,
            finding->what);
    return 0;
}

static void read_zip(struct tool *t, bool is_foreign,
                     void (*use)(struct tool *t, struct tn_zip *zip))
{
    struct tn_report      report  = { .each = tell_finding };
    struct tn_zip_options options = { .is_foreign = is_foreign,
                                      .report     = &report };
    struct tn_source     *source  = open_source(t, t->words[0]);
    struct tn_zip         zip;

    if (!source)
        return;
    if (tn_zip_open(&zip, source, &t->memory, &options, &t->error) == TN_OK)
        use(t, &zip);
    tn_zip_close(&zip);
    tn_source_close(source);
}

static void print_entries(struct tool *t, struct tn_zip *zip)
{
    (void)t;
    for (uint64_t i = 0; i < tn_zip_count(zip); i++) {
        const struct tn_zip_entry *e = tn_zip_at(zip, i);
        printf("%.*s\t%" PRIu64 "\t%u\t%08" PRIx32 "\t%" PRIu64 "\n",
               TN_FMT(e->name), e->size, e->method, e->crc, e->data_offset);
    }
}

static void cat_entry(struct tool *t, struct tn_zip *zip)
{
    const struct tn_zip_entry *e      = tn_zip_find(zip, tn_text(t->words[1]));
    struct tn_output          *output = NULL;
    struct tn_sink            *sink;

    if (!e) {
        tn_error_set(&t->error, TN_NOT_FOUND, TN_NOWHERE, "no %s", t->words[1]);
        return;
    }
    if (tn_output_file(&output, &t->memory, "-", NULL, &t->error) == TN_OK &&
        tn_output_main(output, &sink, &t->error) == TN_OK &&
        tn_zip_stream(zip, e, sink, &t->error) == TN_OK)
        tn_output_commit(output, &t->error);
    tn_output_close(output);
}

static void verify(struct tool *t, struct tn_zip *zip)
{
    tn_zip_verify(zip, t->count > 1 ? (unsigned)atoi(t->words[1]) : 0, NULL,
                  &t->error);
}

static void do_list(struct tool *t)
{
    read_zip(t, t->count < 2, print_entries);
}

static void do_cat(struct tool *t)
{
    read_zip(t, true, cat_entry);
}

static void do_verify(struct tool *t)
{
    read_zip(t, true, verify);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(struct tool *t);
    } verbs[] = {
        { "create", do_create },   { "many", do_many },
        { "grow", do_grow },       { "drop", do_drop },
        { "anew", do_anew },       { "list", do_list },
        { "cat", do_cat },         { "verify", do_verify },
        { "rebuild", do_rebuild },
    };
    struct tool t = { .error = TN_ERROR_INIT };

    tn_memory_init(&t.memory, NULL, 0);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (count > 2 && !strcmp(words[1], verbs[i].name)) {
            t.words = words + 2;
            t.count = count - 2;
            verbs[i].run(&t);
            if (tn_failed(&t.error))
                fprintf(stderr, "%s: %s: at %" PRIu64 ": %s\n",
                        tn_status_name(t.error.status), t.error.where,
                        t.error.offset, t.error.what);
            return tn_status_exit_code(t.error.status);
        }
    fputs("usage: zip_tool VERB FILE [WORD...]\n", stderr);
    return 2;
}
