/*
 * records.c - Riegeli files, as a program that writes and reads them sees it
 *
 *   records write OPTIONS IN OUT RECORD WORKERS
 *   records put OPTIONS IN OUT RECORD WORKERS
 *   records read PATH WORKERS
 *
 * Writes the bytes of IN as records of so many bytes, with options in the words
 * of Google's writer; reads every record, with every hash verified.  Prints
 * what stopwatch.h says, and the records as `nodes`.
 *
 * Who puts records has them in memory: IN is mapped, every page of it, before
 * the clock starts, which stops when OUT is complete.  So it is in codecs.c.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "io/bundle.h"
#include "io/output.h"
#include "stopwatch.h"
#include "wire/riegeli/riegeli_write.h"

static void add_records(struct tn_riegeli_writer *writer,
                        struct tn_source *from, uint64_t size,
                        struct tn_memory *memory, struct tn_error *error)
{
    for (uint64_t at = 0; at < from->size && !tn_failed(error); at += size) {
        struct tn_arena arena;
        struct tn_rope  rope;

        tn_arena_init(&arena, memory);
        tn_rope_init(&rope, &arena, error);
        tn_rope_span(
            &rope, (struct tn_span){ from, at, tn_min(size, from->size - at) });
        tn_riegeli_add_rope(writer, &rope);
        tn_rope_done(&rope);
        tn_arena_done(&arena);
    }
}

/* Where it is from now on, in the tables of the process, too. */
static void touch(const struct tn_source *source)
{
    volatile uint8_t sum = 0;

    for (uint64_t at = 0; source->map && at < source->size; at += 4096)
        sum = (uint8_t)(sum + source->map[at]);
}

static long write_records(char **argv, struct tn_memory *memory,
                          struct stopwatch watch, struct tn_error *error)
{
    static const struct tn_output_options replacing = { .can_replace = true };
    struct tn_riegeli_options             options   = TN_RIEGELI_OPTIONS_INIT;
    struct tn_bundle_options              how       = { false };
    struct tn_riegeli_writer              writer    = { .record_count = 0 };
    struct tn_bundle                      in;
    struct tn_output                     *out = NULL;
    struct tn_sink                       *sink;

    if (tn_riegeli_options_parse(&options, argv[2], error) != TN_OK ||
        tn_bundle_open(&in, memory, argv[3], &how, error) != TN_OK)
        return -1;
    if (strcmp(argv[1], "put") == 0) {
        touch(in.main);
        watch = stopwatch_start();
    }
    options.workers      = (unsigned)atoi(argv[6]);
    options.records_last = true; /* they are in a file that stays open */
    if (tn_output_file(&out, memory, argv[4], &replacing, error) == TN_OK &&
        tn_output_main(out, &sink, error) == TN_OK) {
        tn_riegeli_writer_init(&writer, sink, &options, memory, error);
        add_records(&writer, in.main, strtoull(argv[5], NULL, 10), memory,
                    error);
        tn_riegeli_finish(&writer);
        tn_riegeli_writer_done(&writer);
        if (!tn_failed(error))
            tn_output_commit(out, error);
    }
    tn_output_close(out);
    stopwatch_print(watch, (long)writer.record_count);
    tn_bundle_close(&in);
    return (long)writer.record_count;
}

static long read_records(char **argv, struct tn_memory *memory,
                         struct stopwatch watch, struct tn_error *error)
{
    struct tn_bundle_options how = { false };
    struct tn_bundle         in;
    struct tn_riegeli        file;
    struct tn_riegeli_walk   walk;
    struct tn_riegeli_record record;
    long                     count = 0;

    if (tn_bundle_open(&in, memory, argv[2], &how, error) != TN_OK)
        return -1;
    if (tn_riegeli_open(&file, in.main, memory, error) == TN_OK) {
        tn_riegeli_walk_init(&walk, &file, error);
        walk.workers = (unsigned)atoi(argv[3]);
        while (tn_riegeli_next(&walk, &record))
            count++;
        tn_riegeli_walk_done(&walk);
    }
    tn_bundle_close(&in);
    stopwatch_print(watch, count);
    return count;
}

int main(int argc, char **argv)
{
    struct stopwatch watch = stopwatch_start();
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    long             count = -1;

    tn_memory_init(&memory, NULL, 0);
    if (argc == 7)
        count = write_records(argv, &memory, watch, &error);
    else if (argc == 4)
        count = read_records(argv, &memory, watch, &error);
    else
        fprintf(stderr, "usage: records write|put OPTIONS IN OUT RECORD "
                        "WORKERS\n"
                        "       records read PATH WORKERS\n");
    if (tn_failed(&error))
        fprintf(stderr, "records: %s\n", error.what);
    return count >= 0 && !tn_failed(&error) ? 0 : 1;
}
