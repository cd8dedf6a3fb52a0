/*
 * codecs.c - what a codec can do on this machine, in a bare loop
 *
 *   codecs pack|unpack zstd|brotli LEVEL PATH BLOCK WORKERS
 *
 * The file is cut into blocks of so many bytes, each packed on its own by so
 * many threads; nothing is hashed, framed or written.  What has to be packed
 * before it can be unpacked is not timed.  Prints what stopwatch.h says, and
 * the packed bytes as `nodes`.
 */
#include <brotli/decode.h>
#include <brotli/encode.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "stopwatch.h"

enum { WORKERS_MAX = 64, WINDOW_LOG = 22 };

struct block {
    const uint8_t *plain;
    size_t         plain_size;
    uint8_t       *packed;
    size_t         packed_size;
};

struct work {
    bool          is_brotli, unpacks;
    int           level;
    struct block *blocks;
    size_t        count, block_size;
    atomic_size_t next;
    atomic_bool   has_failed;
};

static size_t packed_bound(const struct work *work, size_t size)
{
    return work->is_brotli ? BrotliEncoderMaxCompressedSize(size)
                           : ZSTD_compressBound(size);
}

static bool pack(const struct work *work, struct block *block, uint8_t *to,
                 ZSTD_CCtx *context)
{
    size_t room = packed_bound(work, block->plain_size);

    if (work->is_brotli) {
        block->packed_size = room;
        return BrotliEncoderCompress(work->level, WINDOW_LOG,
                                     BROTLI_MODE_GENERIC, block->plain_size,
                                     block->plain, &block->packed_size, to);
    }
    block->packed_size = ZSTD_compressCCtx(context, to, room, block->plain,
                                           block->plain_size, work->level);
    return !ZSTD_isError(block->packed_size);
}

static bool unpack(const struct work *work, const struct block *block,
                   uint8_t *to, ZSTD_DCtx *context)
{
    size_t size = block->plain_size;

    if (work->is_brotli)
        return BrotliDecoderDecompress(block->packed_size, block->packed, &size,
                                       to) == BROTLI_DECODER_RESULT_SUCCESS;
    return ZSTD_decompressDCtx(context, to, size, block->packed,
                               block->packed_size) == size;
}

static void *work_off(void *argument)
{
    struct work *work           = argument;
    ZSTD_CCtx   *pack_context   = ZSTD_createCCtx();
    ZSTD_DCtx   *unpack_context = ZSTD_createDCtx();
    uint8_t     *room           = malloc(packed_bound(work, work->block_size));
    size_t       index;

    while (room && (index = atomic_fetch_add(&work->next, 1)) < work->count) {
        struct block *block = &work->blocks[index];
        if (!(work->unpacks ? unpack(work, block, room, unpack_context)
                            : pack(work, block, room, pack_context)))
            work->has_failed = true;
    }
    if (!room)
        work->has_failed = true;
    free(room);
    ZSTD_freeCCtx(pack_context);
    ZSTD_freeDCtx(unpack_context);
    return NULL;
}

static bool run(struct work *work, unsigned workers)
{
    pthread_t threads[WORKERS_MAX];
    unsigned  started = 0;

    while (started < workers && started < WORKERS_MAX &&
           pthread_create(&threads[started], NULL, work_off, work) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return started == workers && !work->has_failed;
}

/* What is unpacked later is packed first, and kept. */
static bool prepare(struct work *work)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    bool       is_done = true;

    for (size_t i = 0; i < work->count && is_done; i++) {
        struct block *block = &work->blocks[i];
        uint8_t      *room  = malloc(packed_bound(work, block->plain_size));
        is_done             = room && pack(work, block, room, context);
        block->packed = is_done ? realloc(room, block->packed_size) : NULL;
    }
    ZSTD_freeCCtx(context);
    return is_done;
}

static bool cut(struct work *work, const char *path)
{
    struct stat about;
    int         file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &about) != 0 || about.st_size == 0)
        return false;
    size_t         size = (size_t)about.st_size;
    const uint8_t *map =
        mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    work->count  = (size + work->block_size - 1) / work->block_size;
    work->blocks = calloc(work->count, sizeof *work->blocks);
    close(file);
    if (map == MAP_FAILED || !work->blocks)
        return false;
    for (size_t i = 0; i < work->count; i++) {
        size_t begin = i * work->block_size, left = size - begin;
        work->blocks[i].plain = map + begin;
        work->blocks[i].plain_size =
            left < work->block_size ? left : work->block_size;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct work work = { .level = 0 };
    long        sum  = 0;

    if (argc != 7) {
        fprintf(stderr, "usage: codecs pack|unpack zstd|brotli LEVEL PATH "
                        "BLOCK WORKERS\n");
        return 2;
    }
    work.unpacks    = strcmp(argv[1], "unpack") == 0;
    work.is_brotli  = strcmp(argv[2], "brotli") == 0;
    work.level      = atoi(argv[3]);
    work.block_size = strtoul(argv[5], NULL, 10);
    if (work.block_size == 0 || !cut(&work, argv[4]) ||
        (work.unpacks && !prepare(&work)))
        return 1;
    struct stopwatch watch  = stopwatch_start();
    bool             is_run = run(&work, (unsigned)atoi(argv[6]));
    for (size_t i = 0; i < work.count; i++)
        sum += (long)work.blocks[i].packed_size;
    stopwatch_print(watch, sum);
    return is_run ? 0 : 1;
}
