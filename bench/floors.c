/*
 * floors.c - what the machine can do at best: bare loops, no format
 *
 *   floors sha256 PATH                  read 128 KiB, hash, on one core
 *   floors crc32c PATH WORKERS          the same, a share for each thread
 *   floors extremes PATH WORKERS        floats: smallest, largest, sum, number
 *                                       of zeros; a share for each thread
 *   floors warm PATH                    read 1 MiB, and do nothing with it
 *   floors read PATH OFFSET SIZE        one range into memory
 *   floors copy PATH OFFSET SIZE OUT    one range into a file
 *
 * Prints what stopwatch.h says.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "codec/crc32c.h"
#include "stopwatch.h"

enum { BLOCK = 128 << 10, WORKERS_MAX = 64 }; /* a block stays in the cache */

struct range;
typedef void use_block(struct range *range, const void *block, size_t size);

struct range {
    int        file;
    uint64_t   begin, end;
    use_block *use;
    uint32_t   crc;
    float      min, max;
    double     sum;
    uint64_t   zeros;
    bool       is_read;
};

static int open_file(const char *path, uint64_t *size)
{
    struct stat about;
    int         file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &about) != 0) {
        fprintf(stderr, "floors: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    *size = (uint64_t)about.st_size;
    return file;
}

/* --- hashes --------------------------------------------------------------- */

static bool hash_sha256(const char *path)
{
    uint64_t    size;
    int         file    = open_file(path, &size);
    void       *block   = malloc(BLOCK);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t     digest[EVP_MAX_MD_SIZE];
    ssize_t     n = -1;

    EVP_DigestInit_ex(context, EVP_sha256(), NULL);
    while (block && (n = read(file, block, BLOCK)) > 0)
        EVP_DigestUpdate(context, block, (size_t)n);
    EVP_DigestFinal_ex(context, digest, NULL);
    EVP_MD_CTX_free(context);
    free(block);
    close(file);
    return n == 0;
}

static void add_crc(struct range *range, const void *block, size_t size)
{
    range->crc = tn_crc32c(range->crc, block, size);
}

/* As anybody writes it first; one element after the other. */
static void add_floats(struct range *range, const void *block, size_t size)
{
    const float *values = block;

    for (size_t i = 0; i < size / sizeof *values; i++) {
        range->min = values[i] < range->min ? values[i] : range->min;
        range->max = values[i] > range->max ? values[i] : range->max;
        range->sum += (double)values[i];
        range->zeros += values[i] == 0;
    }
}

static void *read_share(void *argument)
{
    struct range *range = argument;
    void         *block = malloc(BLOCK);
    uint64_t      at    = range->begin;

    while (block && at < range->end) {
        uint64_t left = range->end - at;
        size_t   size = left < BLOCK ? (size_t)left : BLOCK;
        ssize_t  n    = pread(range->file, block, size, (off_t)at);
        if (n <= 0)
            break;
        range->use(range, block, (size_t)n);
        at += (uint64_t)n;
    }
    range->is_read = at == range->end;
    free(block);
    return NULL;
}

static bool read_shares(const char *path, unsigned workers, use_block *use)
{
    struct range ranges[WORKERS_MAX];
    pthread_t    threads[WORKERS_MAX];
    uint64_t     size;
    int          file    = open_file(path, &size);
    bool         is_read = workers > 0 && workers <= WORKERS_MAX;

    for (unsigned i = 0; is_read && i < workers; i++) {
        ranges[i] = (struct range){ .file  = file,
                                    .begin = size / workers / 4 * 4 * i,
                                    .end   = size / workers / 4 * 4 * (i + 1),
                                    .use   = use };
        if (i + 1 == workers)
            ranges[i].end = size;
        is_read =
            pthread_create(&threads[i], NULL, read_share, &ranges[i]) == 0;
    }
    for (unsigned i = 0; is_read && i < workers; i++)
        is_read = pthread_join(threads[i], NULL) == 0 && ranges[i].is_read;
    close(file);
    return is_read;
}

/* --- one range -------------------------------------------------------------
 */

static bool read_range(const char *path, uint64_t offset, uint64_t size)
{
    uint64_t file_size;
    int      file = open_file(path, &file_size);
    void    *to   = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
    bool     is_read =
        to && pread(file, to, (size_t)size, (off_t)offset) == (ssize_t)size;

    free(to);
    close(file);
    return is_read;
}

static bool copy_range(const char *path, uint64_t offset, uint64_t size,
                       const char *out)
{
    uint64_t file_size;
    int      file = open_file(path, &file_size);
    int      to   = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    off_t    at   = (off_t)offset;
    bool     is_copied = to >= 0;

    while (is_copied && size > 0) {
        size_t  most = size < SIZE_MAX / 2 ? (size_t)size : SIZE_MAX / 2;
        ssize_t n    = copy_file_range(file, &at, to, NULL, most, 0);
        is_copied = n > 0;
        size -= is_copied ? (uint64_t)n : 0;
    }
    close(file);
    return to >= 0 && close(to) == 0 && is_copied;
}

/* --- the command line ------------------------------------------------------
 */

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* All of a file in blocks that a cache does not hold, as records are read. */
static bool read_warm(const char *path)
{
    uint64_t size;
    int      file  = open_file(path, &size);
    void    *block = malloc(1 << 20);
    ssize_t  n     = -1;

    while (block && (n = read(file, block, 1 << 20)) > 0)
        continue;
    free(block);
    close(file);
    return n == 0;
}

static bool run(int argc, char **argv)
{
    const char *job = argv[1];

    if (argc == 3 && strcmp(job, "sha256") == 0)
        return hash_sha256(argv[2]);
    if (argc == 3 && strcmp(job, "warm") == 0)
        return read_warm(argv[2]);
    if (argc == 4 && strcmp(job, "crc32c") == 0)
        return read_shares(argv[2], (unsigned)number(argv[3]), add_crc);
    if (argc == 4 && strcmp(job, "extremes") == 0)
        return read_shares(argv[2], (unsigned)number(argv[3]), add_floats);
    if (argc == 5 && strcmp(job, "read") == 0)
        return read_range(argv[2], number(argv[3]), number(argv[4]));
    if (argc == 6 && strcmp(job, "copy") == 0)
        return copy_range(argv[2], number(argv[3]), number(argv[4]), argv[5]);
    fprintf(stderr,
            "usage: floors sha256|crc32c|extremes|warm|read|copy PATH ...\n");
    return false;
}

int main(int argc, char **argv)
{
    struct stopwatch watch  = stopwatch_start();
    bool             is_run = argc > 1 && run(argc, argv);

    stopwatch_print(watch, 0);
    return is_run ? 0 : 1;
}
