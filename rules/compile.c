/*
 * compile.c - reads rules and vocabularies while the library is built
 *
 *   compile_rules SYMBOL FILE.rules  OUTPUT.c     rules
 *   compile_rules SYMBOL FILE.shapes OUTPUT.c     rules for types and shapes
 *   compile_rules SYMBOL FILE.ops    OUTPUT.c     a vocabulary
 *   compile_rules SYMBOL FILE        OUTPUT.c     any other text
 *
 * The library carries what our parser made of the file, as SYMBOL_packed
 * (lang_pack.h, vocab_pack.h).  So a conversion parses nothing of ours, and a
 * mistake in a file is found when the library is built.  Texts that users see,
 * those of rules and others, are SYMBOL_text.  All of it is compressed
 * (codec/stored.h), in blocks, so that a task unpacks what it looks at.
 *
 * Runs where the library is built, not where it will run; the bytes that it
 * writes are the same for all machines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <zstd.h>

#include "base/buffer.h"
#include "base/varint.h"
#include "ir/vocab_pack.h"
#include "map/lang/lang_pack.h"

enum { EXIT_BAD = 1, EXIT_USAGE = 2 };

struct job {
    const char      *symbol, *input, *output;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_error  error;
    struct tn_buffer text, packed;
    struct tn_buffer cuts; /* u32: where a block of `packed` may begin        */
};

static bool ends_with(const char *name, const char *suffix)
{
    size_t size = strlen(name), end = strlen(suffix);

    return size >= end && !strcmp(name + size - end, suffix);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* "rules/onnx.ops: line 3, column 1: 'op' is missing here" */
static bool complain(const struct job *job)
{
    fprintf(stderr, "%s: %s%s%s\n", job->input, job->error.where,
            *job->error.where ? ": " : "", job->error.what);
    return false;
}

static bool complain_of(const char *path)
{
    fprintf(stderr, "compile_rules: %s: %s\n", path, strerror(errno));
    return false;
}

static bool read_text(struct job *job)
{
    FILE    *file = fopen(job->input, "rb");
    uint8_t *to;
    size_t   got = 1;

    while (file && got > 0 && (to = tn_buffer_room(&job->text, 1 << 16))) {
        got = fread(to, 1, 1 << 16, file);
        job->text.size += got;
    }
    bool is_read = file && !ferror(file) && !tn_failed(&job->error);
    if (!is_read)
        complain_of(job->input);
    if (file)
        fclose(file);
    return is_read;
}

static void compile_vocabulary(struct job *job)
{
    struct tn_vocab vocab;

    if (tn_vocab_load(&vocab, &job->arena, tn_buffer_bytes(&job->text),
                      &job->error) == TN_OK)
        tn_vocab_pack(&vocab, &job->packed, &job->cuts);
}

static void compile_rules(struct job *job)
{
    struct tn_lang_file file;

    if (tn_lang_parse(&file, &job->arena, file_name(job->input),
                      tn_buffer_bytes(&job->text), &job->error) == TN_OK)
        tn_lang_pack(&file, &job->packed, &job->cuts);
    tn_lang_done(&file);
}

/* SYMBOL_SUFFIX and SYMBOL_SUFFIX_size. */
static void write_array(FILE *to, const struct job *job, const char *suffix,
                        const uint8_t *bytes, size_t size)
{
    fprintf(to,
            "extern const unsigned char %s_%s[];\n"
            "extern const size_t %s_%s_size;\n"
            "const unsigned char %s_%s[] = {",
            job->symbol, suffix, job->symbol, suffix, job->symbol, suffix);
    for (size_t i = 0; i < size; i++)
        fprintf(to, "%s%u,", i % 20 ? "" : "\n", (unsigned)bytes[i]);
    fprintf(to, "\n};\nconst size_t %s_%s_size = %zu;\n", job->symbol, suffix,
            size);
}

/* ---- blocks ------------------------------------------------------------- */

/* As long as it pays: a shorter block compresses less well, and of a longer one
 * more is unpacked in vain. */
#define BLOCK_SIZE 12288

/* Where the block ends that begins at `begin`: at the last cut that makes it no
 * longer than BLOCK_SIZE, else at the next one. */
static size_t block_end(const struct tn_buffer *cuts, size_t begin, size_t size)
{
    size_t end = 0;

    for (size_t i = 0; cuts && i < cuts->size; i += 4) {
        size_t cut = tn_load32(cuts->data + i);
        if (cut <= begin)
            continue;
        if (end && cut - begin > BLOCK_SIZE)
            return end;
        end = cut;
    }
    return end && size - begin > BLOCK_SIZE ? end : size;
}

static bool add_frame(struct tn_buffer *to, const uint8_t *bytes, size_t size)
{
    size_t   room = ZSTD_compressBound(size);
    uint8_t *at   = tn_buffer_room(to, room);
    size_t   got =
        at ? ZSTD_compress(at, room, bytes, size, ZSTD_maxCLevel()) : 0;

    if (!at || ZSTD_isError(got))
        return false;
    to->size += got;
    return true;
}

/* What tn_stored_open() takes, as SYMBOL. */
static void write_room(FILE *to, const struct job *job, size_t size,
                       size_t block_count)
{
    fprintf(to,
            "static unsigned char content[%zu];\n"
            "static _Atomic unsigned char is_there[%zu];\n"
            "extern const struct tn_stored %s;\n"
            "const struct tn_stored %s = {\n"
            "%s_packed, sizeof %s_packed, content, is_there };\n",
            size, block_count, job->symbol, job->symbol, job->symbol,
            job->symbol);
}

/* codec/stored.h describes it.  Cuts, in their order; NULL: one block. */
static bool write_stored(FILE *to, struct job *job, const char *suffix,
                         const struct tn_buffer *content,
                         const struct tn_buffer *cuts)
{
    struct tn_buffer table, frames, whole;
    bool             is_packed = true;

    tn_buffer_init(&table, &job->memory, &job->error);
    tn_buffer_init(&frames, &job->memory, &job->error);
    tn_buffer_init(&whole, &job->memory, &job->error);
    for (size_t at = 0, end; is_packed && at < content->size; at = end) {
        size_t before = frames.size;

        end       = block_end(cuts, at, content->size);
        is_packed = add_frame(&frames, content->data + at, end - at);
        tn_buffer_u32(&table, (uint32_t)end);
        tn_buffer_u32(&table, (uint32_t)(frames.size - before));
    }
    tn_buffer_u32(&whole, (uint32_t)content->size);
    tn_buffer_u32(&whole, (uint32_t)(table.size / 8));
    tn_buffer_add(&whole, tn_buffer_bytes(&table));
    tn_buffer_add(&whole, tn_buffer_bytes(&frames));
    is_packed &= !tn_failed(&job->error);
    if (is_packed)
        write_array(to, job, suffix, whole.data, whole.size);
    if (is_packed && cuts)
        write_room(to, job, content->size, table.size / 8);
    tn_buffer_done(&whole);
    tn_buffer_done(&frames);
    tn_buffer_done(&table);
    return is_packed;
}

static bool write_code(struct job *job)
{
    FILE *to = fopen(job->output, "wb");

    if (!to)
        return complain_of(job->output);
    fprintf(to, "#include \"codec/stored.h\"\n");
    bool is_written = true;
    if (job->packed.size)
        is_written &= write_stored(to, job, "packed", &job->packed, &job->cuts);
    if (!ends_with(job->input, ".ops") && !ends_with(job->input, ".shapes"))
        is_written &= write_stored(to, job, "text", &job->text, NULL);
    is_written &= !ferror(to);
    is_written &= !fclose(to);
    return is_written || complain_of(job->output);
}

static bool run(struct job *job)
{
    if (!read_text(job))
        return false;
    if (ends_with(job->input, ".ops"))
        compile_vocabulary(job);
    else if (ends_with(job->input, ".rules") ||
             ends_with(job->input, ".shapes"))
        compile_rules(job);
    return tn_failed(&job->error) ? complain(job) : write_code(job);
}

int main(int argc, char **argv)
{
    struct job job = { .error = TN_ERROR_INIT };

    if (argc != 4) {
        fprintf(stderr, "usage: compile_rules SYMBOL FILE OUTPUT.c\n");
        return EXIT_USAGE;
    }
    job.symbol = argv[1];
    job.input  = argv[2];
    job.output = argv[3];
    tn_memory_init(&job.memory, NULL, 0);
    tn_arena_init(&job.arena, &job.memory);
    tn_buffer_init(&job.text, &job.memory, &job.error);
    tn_buffer_init(&job.packed, &job.memory, &job.error);
    tn_buffer_init(&job.cuts, &job.memory, &job.error);
    bool is_done = run(&job);
    tn_buffer_done(&job.cuts);
    tn_buffer_done(&job.packed);
    tn_buffer_done(&job.text);
    tn_arena_done(&job.arena);
    return is_done ? 0 : EXIT_BAD;
}
