/*
 * codecs.c - what a codec can do on this machine, in a bare loop
 *
 *   codecs pack|unpack zstd|brotli LEVEL PATH BLOCK WORKERS
 *   codecs map|read    zstd|brotli LEVEL PATH BLOCK WORKERS OUT
 *
 * The file is cut into blocks of so many bytes, each packed on its own by so
 * many threads; nothing is hashed or framed.  `pack` and `unpack` do so in
 * memory: the file is mapped before the clock starts, what has to be packed
 * before it can be unpacked is not timed, and nothing is written.  The other
 * two go from file to file.  Each thread maps or reads the block it packs, and
 * writes it behind the last one that is done, so blocks are in no order and
 * nobody waits.  Prints what stopwatch.h says, and the packed bytes as `nodes`.
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

#define PAGE_MASK ((uintptr_t)4095)

struct block {
    const uint8_t *plain;
    size_t         plain_size;
    uint8_t       *packed;
    size_t         packed_size;
};

struct work {
    bool is_brotli, unpacks;
    bool reads; /* its blocks, instead of mapping them               */
    int  level;
    int  from, to; /* files; -1: blocks are in memory, and stay there */
    struct block *blocks;
    size_t        count, block_size;
    atomic_size_t next;
    atomic_size_t written; /* bytes of `to` that are taken                    */
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

/* Brings a block to memory; `in` has room for it. */
static bool fetch(const struct work *work, struct block *block, size_t begin,
                  uint8_t *in)
{
    uintptr_t plain = (uintptr_t)block->plain, page = plain & ~PAGE_MASK;

    if (!work->reads)
        return madvise((void *)page, block->plain_size + (plain - page),
                       MADV_POPULATE_READ) == 0;
    block->plain = in;
    return pread(work->from, in, block->plain_size, (off_t)begin) ==
           (ssize_t)block->plain_size;
}

static bool save(struct work *work, const struct block *block,
                 const uint8_t *packed)
{
    size_t at = atomic_fetch_add(&work->written, block->packed_size);

    return pwrite(work->to, packed, block->packed_size, (off_t)at) ==
           (ssize_t)block->packed_size;
}

/* What a thread works with. */
struct bench {
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
    uint8_t   *in, *out;
};

static bool do_block(struct work *work, size_t index, const struct bench *bench)
{
    struct block *block = &work->blocks[index];

    if (work->to >= 0 &&
        !fetch(work, block, index * work->block_size, bench->in))
        return false;
    if (work->unpacks)
        return unpack(work, block, bench->out, bench->unpack);
    if (!pack(work, block, bench->out, bench->pack))
        return false;
    return work->to < 0 || save(work, block, bench->out);
}

static void *work_off(void *argument)
{
    struct work *work  = argument;
    struct bench bench = { .pack   = ZSTD_createCCtx(),
                           .unpack = ZSTD_createDCtx(),
                           .in     = malloc(work->reads ? work->block_size : 1),
                           .out =
                               malloc(packed_bound(work, work->block_size)) };
    size_t       index;

    if (!bench.pack || !bench.unpack || !bench.in || !bench.out)
        work->has_failed = true;
    while (!work->has_failed &&
           (index = atomic_fetch_add(&work->next, 1)) < work->count)
        if (!do_block(work, index, &bench))
            work->has_failed = true;
    free(bench.in);
    free(bench.out);
    ZSTD_freeCCtx(bench.pack);
    ZSTD_freeDCtx(bench.unpack);
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

static const uint8_t *map_file(const struct work *work, size_t size)
{
    int how = MAP_SHARED | (work->to < 0 ? MAP_POPULATE : 0);

    return work->reads ? NULL : mmap(NULL, size, PROT_READ, how, work->from, 0);
}

static bool cut(struct work *work, const char *path)
{
    struct stat about;

    work->from = open(path, O_RDONLY | O_CLOEXEC);
    if (work->from < 0 || fstat(work->from, &about) != 0 || about.st_size == 0)
        return false;
    size_t         size = (size_t)about.st_size;
    const uint8_t *map  = map_file(work, size);
    work->count         = (size + work->block_size - 1) / work->block_size;
    work->blocks        = calloc(work->count, sizeof *work->blocks);
    if (map == MAP_FAILED || !work->blocks)
        return false;
    for (size_t i = 0; i < work->count; i++) {
        size_t begin = i * work->block_size, left = size - begin;
        work->blocks[i].plain = map ? map + begin : NULL;
        work->blocks[i].plain_size =
            left < work->block_size ? left : work->block_size;
    }
    return true;
}

static bool read_arguments(struct work *work, int argc, char **argv)
{
    if (argc != 7 && argc != 8)
        return false;
    *work         = (struct work){ .unpacks    = strcmp(argv[1], "unpack") == 0,
                                   .reads      = strcmp(argv[1], "read") == 0,
                                   .is_brotli  = strcmp(argv[2], "brotli") == 0,
                                   .level      = atoi(argv[3]),
                                   .block_size = strtoul(argv[5], NULL, 10),
                                   .from       = -1,
                                   .to         = -1 };
    bool is_saved = work->reads || strcmp(argv[1], "map") == 0;
    return work->block_size && is_saved == (argc == 8);
}

int main(int argc, char **argv)
{
    struct stopwatch watch = stopwatch_start();
    struct work      work;
    long             sum = 0;

    if (!read_arguments(&work, argc, argv)) {
        fprintf(stderr, "usage: codecs pack|unpack|map|read zstd|brotli LEVEL "
                        "PATH BLOCK WORKERS [OUT]\n");
        return 2;
    }
    if (argc == 8)
        work.to = open(argv[7], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    unsigned workers = (unsigned)atoi(argv[6]);
    if ((argc == 8 && work.to < 0) || !cut(&work, argv[4]) ||
        (work.unpacks && !prepare(&work)))
        return 1;
    if (work.to < 0)
        watch = stopwatch_start(); /* all that was for nothing but the memory */
    bool is_run = run(&work, workers);
    for (size_t i = 0; i < work.count; i++)
        sum += (long)work.blocks[i].packed_size;
    stopwatch_print(watch, sum);
    return is_run ? 0 : 1;
}
