/*
 * zip_jobs.c - what is measured about zips, each once in this process
 *
 *   zip_jobs create IN OUT COUNT     IN in so many stored entries, crc included
 *   zip_jobs list ZIP                opens it, all headers compared
 *   zip_jobs read ZIP NAME           opens it and reads one entry
 *   zip_jobs append ZIP IN SIZE      SIZE bytes of IN as one more commit,
 * synced zip_jobs verify ZIP WORKERS      every checksum zip_jobs floor-append
 * OUT IN SIZE   the same bytes behind a file, synced zip_jobs floor-crc32 IN
 * WORKERS  read 128 KiB, crc32, a share per thread
 *
 * Prints what stopwatch.h says.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/crc32.h"
#include "io/file_source.h"
#include "io/output.h"
#include "stopwatch.h"
#include "wire/zip/zip_edit.h"

enum { BLOCK = 128 << 10, WORKERS_MAX = 64 };

static struct tn_memory memory;
static struct tn_error  error = TN_ERROR_INIT;

static struct tn_source *open_source(const char *path)
{
    struct tn_source *source = NULL;
    int               file   = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        tn_error_errno(&error, errno, "cannot open %s", path);
    else
        tn_source_file(&source, &memory, file, path, true, &error);
    return source;
}

static void add_span(struct tn_zip_writer *w, const char *name,
                     struct tn_span span)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, &error);
    tn_rope_span(&rope, span);
    tn_zip_add(w, tn_text(name), &rope);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void fill(struct tn_zip_writer *w, struct tn_source *from,
                 uint64_t count)
{
    uint64_t share = from->size / count;
    char     name[64];

    for (uint64_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "fp32/params/%" PRIu64 ".fb", i);
        add_span(w, name, (struct tn_span){ from, i * share, share });
    }
}

static long create(char **words)
{
    struct tn_output_options how    = { .can_replace = true };
    struct tn_source        *from   = open_source(words[0]);
    struct tn_output        *output = NULL;
    struct tn_sink          *sink;
    struct tn_zip_writer     w;
    long                     count = atol(words[2]);

    if (from &&
        tn_output_file(&output, &memory, words[1], &how, &error) == TN_OK &&
        tn_output_main(output, &sink, &error) == TN_OK) {
        tn_zip_writer_init(&w, sink, &memory, &error);
        fill(&w, from, (uint64_t)count);
        if (!tn_failed(&error) && tn_zip_finish(&w) == TN_OK)
            tn_output_commit(output, &error);
        tn_zip_writer_done(&w);
    }
    tn_output_close(output);
    tn_source_close(from);
    return count;
}

static long with_zip(char **words,
                     void (*use)(struct tn_zip *zip, char **words))
{
    struct tn_source *source = open_source(words[0]);
    struct tn_zip     zip;
    long              count = 0;

    if (!source)
        return 0;
    if (tn_zip_open(&zip, source, &memory, NULL, &error) == TN_OK) {
        count = (long)tn_zip_count(&zip);
        use(&zip, words);
    }
    tn_zip_close(&zip);
    tn_source_close(source);
    return count;
}

static void use_nothing(struct tn_zip *zip, char **words)
{
    (void)zip;
    (void)words;
}

static void use_entry(struct tn_zip *zip, char **words)
{
    const struct tn_zip_entry *e = tn_zip_find(zip, tn_text(words[1]));

    if (!e) {
        tn_error_set(&error, TN_NOT_FOUND, TN_NOWHERE, "no %s", words[1]);
        return;
    }
    void *bytes = malloc((size_t)e->size);
    tn_source_read(zip->source, e->data_offset, bytes, (size_t)e->size, &error);
    free(bytes);
}

static void use_checksums(struct tn_zip *zip, char **words)
{
    tn_zip_verify(zip, (unsigned)atoi(words[1]), NULL, &error);
}

static long list(char **words)
{
    return with_zip(words, use_nothing);
}

static long read_one(char **words)
{
    return with_zip(words, use_entry);
}

static long verify(char **words)
{
    return with_zip(words, use_checksums);
}

static long append(char **words)
{
    struct tn_append_options how  = { .is_durable = true };
    struct tn_source        *from = open_source(words[1]);
    struct tn_zip_edit       edit;

    if (!from)
        return 0;
    if (tn_zip_grow(&edit, &memory, words[0], &how, &error) == TN_OK) {
        add_span(&edit.writer, "int8/params/0.fb",
                 (struct tn_span){ from, 0, (uint64_t)atoll(words[2]) });
        tn_zip_commit(&edit);
    }
    tn_zip_edit_close(&edit);
    tn_source_close(from);
    return 1;
}

/* --- floors ----------------------------------------------------------------
 */

static long floor_append(char **words)
{
    static uint8_t block[BLOCK];
    int            to   = open(words[0], O_WRONLY | O_APPEND | O_CLOEXEC);
    int            from = open(words[1], O_RDONLY | O_CLOEXEC);

    for (long long left = atoll(words[2]); left > 0;) {
        ssize_t n = read(from, block, sizeof block);
        if (n <= 0 || tn_write_all(to, block, (size_t)n) != 0)
            exit(1);
        left -= n;
    }
    if (fdatasync(to) != 0)
        exit(1);
    close(to);
    close(from);
    return 1;
}

struct share {
    int      file;
    uint64_t begin, end;
    uint32_t crc;
};

static void *sum_share(void *context)
{
    struct share *s     = context;
    uint8_t      *block = malloc(BLOCK);

    while (s->begin < s->end) {
        ssize_t n = pread(s->file, block, BLOCK, (off_t)s->begin);
        if (n <= 0)
            break;
        s->crc = tn_crc32(s->crc, block, (size_t)n);
        s->begin += (uint64_t)n;
    }
    free(block);
    return NULL;
}

static long floor_crc32(char **words)
{
    pthread_t    threads[WORKERS_MAX];
    struct share shares[WORKERS_MAX];
    struct stat  about;
    int          file  = open(words[0], O_RDONLY | O_CLOEXEC);
    int          count = atoi(words[1]);

    if (file < 0 || fstat(file, &about) != 0 || count > WORKERS_MAX)
        exit(1);
    for (int i = 0; i < count; i++) {
        uint64_t size = (uint64_t)about.st_size / (uint64_t)count;
        shares[i]     = (struct share){ file, size * (uint64_t)i,
                                        size * (uint64_t)(i + 1), 0 };
        pthread_create(&threads[i], NULL, sum_share, &shares[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    close(file);
    return count;
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        int         words;
        long (*run)(char **words);
    } jobs[] = {
        { "create", 3, create },           { "list", 1, list },
        { "read", 2, read_one },           { "append", 3, append },
        { "verify", 2, verify },           { "floor-append", 3, floor_append },
        { "floor-crc32", 2, floor_crc32 },
    };

    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (count == 2 + jobs[i].words && !strcmp(words[1], jobs[i].name)) {
            struct stopwatch watch = stopwatch_start();
            long             items = jobs[i].run(words + 2);
            if (tn_failed(&error)) {
                fprintf(stderr, "zip_jobs: %s\n", error.what);
                return 1;
            }
            stopwatch_print(watch, items);
            return 0;
        }
    fputs("usage: zip_jobs JOB WORD...\n", stderr);
    return 2;
}
