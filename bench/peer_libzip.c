/*
 * peer_libzip.c - the same jobs by libzip
 *
 *   peer_libzip create IN OUT COUNT
 *   peer_libzip list ZIP
 *   peer_libzip read ZIP NAME
 *   peer_libzip append ZIP IN SIZE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zip.h>

#include "stopwatch.h"

static void fail(const char *what)
{
    fprintf(stderr, "peer_libzip: %s\n", what);
    exit(1);
}

static zip_t *open_zip(const char *path, int flags)
{
    int    code;
    zip_t *zip = zip_open(path, flags, &code);

    if (!zip)
        fail("cannot open");
    return zip;
}

static void add(zip_t *zip, const char *name, const char *path,
                zip_uint64_t offset, zip_int64_t size)
{
    zip_source_t *source = zip_source_file(zip, path, offset, size);
    zip_int64_t   index  = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);

    if (index < 0 ||
        zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0))
        fail(zip_strerror(zip));
}

static long create(char **words)
{
    zip_t      *zip   = open_zip(words[1], ZIP_CREATE | ZIP_TRUNCATE);
    long        count = atol(words[2]);
    struct stat about;
    char        name[64];

    if (stat(words[0], &about) != 0)
        fail("no input");
    for (long i = 0; i < count; i++) {
        snprintf(name, sizeof name, "fp32/params/%ld.fb", i);
        add(zip, name, words[0],
            (zip_uint64_t)i * (zip_uint64_t)(about.st_size / count),
            about.st_size / count);
    }
    if (zip_close(zip) != 0)
        fail("cannot write");
    return count;
}

static long list(char **words)
{
    zip_t     *zip   = open_zip(words[0], ZIP_RDONLY);
    long       count = (long)zip_get_num_entries(zip, 0);
    zip_stat_t about;

    for (long i = 0; i < count; i++)
        if (zip_stat_index(zip, (zip_uint64_t)i, 0, &about) != 0)
            fail("no entry");
    zip_discard(zip);
    return count;
}

static long read_one(char **words)
{
    zip_t      *zip = open_zip(words[0], ZIP_RDONLY);
    zip_stat_t  about;
    zip_file_t *file = zip_fopen(zip, words[1], 0);

    if (!file || zip_stat(zip, words[1], 0, &about) != 0)
        fail("no entry");
    void *bytes = about.size <= SIZE_MAX ? malloc((size_t)about.size) : NULL;
    if (!bytes)
        fail("too large");
    if (zip_fread(file, bytes, about.size) != (zip_int64_t)about.size)
        fail("cannot read");
    free(bytes);
    zip_fclose(file);
    zip_discard(zip);
    return 1;
}

static long append(char **words)
{
    zip_t *zip = open_zip(words[0], 0);

    add(zip, "int8/params/0.fb", words[1], 0, atoll(words[2]));
    if (zip_close(zip) != 0)
        fail("cannot write");
    return 1;
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        int         words;
        long (*run)(char **words);
    } jobs[] = {
        { "create", 3, create },
        { "list", 1, list },
        { "read", 2, read_one },
        { "append", 3, append },
    };

    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (count == 2 + jobs[i].words && !strcmp(words[1], jobs[i].name)) {
            struct stopwatch watch = stopwatch_start();
            stopwatch_print(watch, jobs[i].run(words + 2));
            return 0;
        }
    fputs("usage: peer_libzip JOB WORD...\n", stderr);
    return 2;
}
