/*
 * catalog_fuzz.c - catalogs of a stranger become one
 *
 * The bytes up to the first zero are a catalog of lines that is there already;
 * those behind it are one that is named.  What comes of the two is a catalog,
 * too, in which rows that were there are as they were.  Its rows, taken alone,
 * are written in our words; those stay as they are, and fit into every form.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/catalog.h>

enum { OLD, NEW, AGAIN, TWICE, ARROW, SQLITE, NAMES };

static char folder[] = "/tmp/catalog_fuzz-XXXXXX";
static char paths[NAMES][64];

/* What is left of a call that failed must not be in the next one's way. */
static void clear(void)
{
    static const char *const suffixes[] = { "", ".part", ".lock", "-journal" };
    char                     path[80];

    for (int i = 0; i < NAMES; i++)
        for (size_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++) {
            snprintf(path, sizeof path, "%s%s", paths[i], suffixes[k]);
            (void)unlink(path);
        }
}

static void leave(void)
{
    clear();
    (void)rmdir(folder);
}

static void enter(void)
{
    static const char *const names[NAMES] = { "old.ndjson",   "new.ndjson",
                                              "again.ndjson", "twice.ndjson",
                                              "all.arrow",    "all.sqlite" };

    if (paths[0][0])
        return;
    if (!mkdtemp(folder))
        abort();
    for (int i = 0; i < NAMES; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    atexit(leave);
}

static void save(int name, const uint8_t *data, size_t size)
{
    FILE *file = fopen(paths[name], "wb");

    if (!file || fwrite(data, 1, size, file) != size)
        abort();
    fclose(file);
}

static char *load(int name, size_t *size)
{
    FILE *file = fopen(paths[name], "rb");
    char *text = NULL;

    *size    = 0;
    FILE *to = open_memstream(&text, size);
    if (!file || !to)
        abort();
    for (int c; (c = getc(file)) != EOF;)
        putc(c, to);
    fclose(to);
    fclose(file);
    return text;
}

static enum tn_status merge(int from, int to)
{
    struct tn_catalog_options options = TN_CATALOG_OPTIONS_INIT;
    struct tn_target          target  = { .path = paths[to] };
    struct tn_error           error   = TN_ERROR_INIT;
    const char               *path    = paths[from];

    options.jobs = 1;
    return tn_catalog(&path, 1, &options, &target, NULL, NULL, &error);
}

static bool is_catalog(const uint8_t *data, size_t size)
{
    static const char start[] = "{\"row\": ";

    return size == 0 ||
           (size >= sizeof start - 1 && !memcmp(data, start, sizeof start - 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero  = size ? memchr(data, 0, size) : NULL;
    size_t         first = zero ? (size_t)(zero - data) : 0;
    size_t         next  = zero ? first + 1 : 0;
    size_t         one, two;

    if (!is_catalog(data + next, size - next))
        return 0; /* a file as any other: its row, and no merge */
    enter();
    clear();
    if (first)
        save(OLD, data, first);
    save(NEW, data + next, size - next);
    if (merge(NEW, OLD) != TN_OK)
        return 0;
    enum tn_status status = merge(OLD, AGAIN);
    if (first && (status == TN_MALFORMED || status == TN_TRUNCATED))
        return 0; /* the rest of rows that were there is not looked at */
    assert(status == TN_OK);
    assert(merge(AGAIN, TWICE) == TN_OK);
    char *again = load(AGAIN, &one), *twice = load(TWICE, &two);
    assert(one == two && (!one || memcmp(again, twice, one) == 0));
    free(again);
    free(twice);
    assert(merge(AGAIN, ARROW) == TN_OK);
    if (size % 8 == 0) { /* a database takes its time */
        status = merge(AGAIN, SQLITE);
        assert(status == TN_OK || status == TN_UNSUPPORTED);
    }
    return 0;
}
