/*
 * in_process.c - one job of the library, once, without the command around it
 *
 *   in_process JOB PATH [NAME]
 *
 *   naive-onnx, naive-graph   the floor: a pass over wire tags
 *   naive-records             the same for Paddle: from header to header
 *   naive-rows                and each is noted in a row of a growing table,
 *                             as whoever hands out a list must
 *   summary                   open, as `info` and `ls` do
 *   graph                     open with ops and values
 *   check                     check the structure, not the weights
 *   read                      one tensor into memory, by NAME
 *   both                      open two models, PATH and NAME, with their ops
 *   diff                      and compare them
 *
 * Prints what stopwatch.h says.
 * A fresh process pays for every page that it touches, as the command does.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/tenon.h>

#include "naive_scan.h"
#include "stopwatch.h"

struct result {
    uint64_t nodes;
};

static struct stopwatch begun; /* when the job was                          */

struct job {
    const char *name;
    bool (*run)(const char *path, const char *tensor, struct result *result);
};

static bool fail(const char *path, const struct tn_error *error)
{
    fprintf(stderr, "in_process: %s: %s\n", path, error->what);
    return false;
}

/* What we hold when a job is at its fullest: short ones are over before anybody
 * has looked at them from outside.  Only when asked, as it takes its time. */
static void print_memory(void)
{
    char     line[256];
    uint64_t kilobytes = 0;
    FILE    *status =
        getenv("MEASURE_MEMORY") ? fopen("/proc/self/status", "r") : NULL;

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %" SCNu64, &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    printf("inner_anon=%" PRIu64 "\n", kilobytes * 1024);
}

/* --- the floor ---------------------------------------------------------- */

static bool scan_file(const char *path, const struct naive_message *type)
{
    struct stat       about;
    struct naive_sums sums;
    int               file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &about) != 0)
        return false;
    size_t size = (size_t)about.st_size;
    void  *map  = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        return false;
    bool is_read = naive_scan(type, map, size, &sums);
    munmap(map, size);
    close(file);
    return is_read && sums.fields > 0;
}

static bool scan_onnx(const char *path, const char *tensor,
                      struct result *result)
{
    (void)tensor, (void)result;
    return scan_file(path, &naive_onnx_model);
}

static bool scan_graph(const char *path, const char *tensor,
                       struct result *result)
{
    (void)tensor, (void)result;
    return scan_file(path, &naive_tf_graph);
}

/* Steps over one record of floats: 4 + 8 + 4 bytes, a length, a desc of a type
 * and one dimension, and the data; 0: it is none. */
static size_t hop(const uint8_t *at, size_t left)
{
    uint32_t length;
    uint64_t count = 0;
    unsigned shift = 0;

    if (left < 24)
        return 0;
    memcpy(&length, at + 16, sizeof length);
    for (uint32_t i = 3; i < length && i < 13; i++, shift += 7)
        count |= (uint64_t)(at[20 + i] & 0x7f) << shift;
    if (length > left - 20 || count > (left - 20 - length) / 4)
        return 0;
    return 20 + length + (size_t)count * 4;
}

/* What a list says of a tensor: name, type, shape, and where it is. */
struct row {
    uint64_t number, begin, size;
    uint64_t rest[13];
};

static bool note(struct row **rows, uint64_t count, struct row row)
{
    static size_t room;

    if (count == room) {
        room              = room + room / 2 + 8;
        struct row *moved = realloc(*rows, room * sizeof **rows);
        if (!moved)
            return false;
        *rows = moved;
    }
    (*rows)[count] = row;
    return true;
}

static bool hop_over(const char *path, bool wants_rows, struct result *result)
{
    struct stat about;
    int         file = open(path, O_RDONLY | O_CLOEXEC);
    struct row *rows = NULL;

    if (file < 0 || fstat(file, &about) != 0)
        return false;
    size_t         size = (size_t)about.st_size, at = 0, step = 1;
    const uint8_t *map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        return false;
    for (; at < size && step; at += step) {
        step = hop(map + at, size - at);
        if (wants_rows &&
            !note(&rows, result->nodes,
                  (struct row){
                      .number = result->nodes, .begin = at, .size = step }))
            return false;
        result->nodes++;
    }
    free(rows);
    munmap((void *)(uintptr_t)map, size);
    close(file);
    return at == size;
}

static bool hop_records(const char *path, const char *tensor,
                        struct result *result)
{
    (void)tensor;
    return hop_over(path, false, result);
}

static bool hop_and_note(const char *path, const char *tensor,
                         struct result *result)
{
    (void)tensor;
    return hop_over(path, true, result);
}

/* --- opening ------------------------------------------------------------ */

static bool open_model(const char *path, bool wants_graph,
                       struct result *result)
{
    struct tn_options options = { .wants_graph = wants_graph };
    struct tn_error   error   = { 0 };
    struct tn_model  *model;

    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        return fail(path, &error);
    result->nodes = tn_model_node_count(model);
    print_memory();
    tn_model_close(model);
    return true;
}

static bool open_summary(const char *path, const char *tensor,
                         struct result *result)
{
    (void)tensor;
    return open_model(path, false, result);
}

static bool open_graph(const char *path, const char *tensor,
                       struct result *result)
{
    (void)tensor;
    return open_model(path, true, result);
}

/* --- two models ----------------------------------------------------------- */

static bool open_two(const char *path, const char *other, bool compares,
                     struct result *result)
{
    struct tn_options options   = { .wants_graph = true };
    struct tn_error   error     = { 0 };
    struct tn_model  *models[2] = { NULL, NULL };
    struct tn_diff   *diff      = NULL;

    if (!other ||
        tn_model_open(&models[0], path, &options, &error) != TN_OK ||
        tn_model_open(&models[1], other, &options, &error) != TN_OK ||
        (compares && tn_diff_open(&diff, models[0], models[1], NULL, NULL,
                                  &error) != TN_OK))
        return fail(path, &error);
    result->nodes =
        tn_model_node_count(models[0]) + tn_model_node_count(models[1]);
    print_memory();
    tn_diff_close(diff);
    tn_model_close(models[0]);
    tn_model_close(models[1]);
    return true;
}

static bool open_both(const char *path, const char *other,
                      struct result *result)
{
    return open_two(path, other, false, result);
}

static bool compare_both(const char *path, const char *other,
                         struct result *result)
{
    return open_two(path, other, true, result);
}

/* --- mapping ------------------------------------------------------------- */

static void hear_row(void *context, const struct tn_plan_row *row)
{
    struct result *result = context;

    result->nodes += row->count;
}

/* The graph is mapped when its arguments are packed: what comes after that is
 * on the way to a file. */
static void hear_pass(void *context, const struct tn_plan_pass *pass)
{
    const struct result *result = context;

    if (strcmp(pass->name, "pack") != 0)
        return;
    print_memory();
    stopwatch_print(begun, (long)result->nodes);
    exit(0);
}

/* A conversion up to there: load, check, tidy, infer, apply every rule.  As the
 * command does it: who has no use for the graph himself leaves opening it to
 * the conversion, which can then release it. */
static bool map(const char *path, const char *tensor, struct result *result)
{
    struct tn_options         options = { 0 };
    struct tn_convert_options convert = { .to = "samediff-fb" };
    struct tn_error           error   = { 0 };
    struct tn_model          *model;

    (void)tensor;
    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        return fail(path, &error);
    struct tn_plan_listener listener = { .pass    = hear_pass,
                                         .op      = hear_row,
                                         .context = result };
    enum tn_status          status =
        tn_plan(model, &convert, "out", &options, &listener, NULL, &error);
    print_memory();
    tn_model_close(model);
    return status == TN_OK || fail(path, &error);
}

/* All of a conversion, the file made and thrown away. */
static bool convert_as(const char *path, const struct tn_convert_options *how,
                       struct result *result)
{
    struct tn_target target = { .path = "out", .is_dry_run = true };
    struct tn_error  error  = { 0 };
    struct tn_model *model;

    if (tn_model_open(&model, path, NULL, &error) != TN_OK)
        return fail(path, &error);
    result->nodes = tn_model_node_count(model);
    enum tn_status status = tn_convert(model, how, &target, NULL, NULL, &error);
    tn_model_close(model);
    return status == TN_OK || fail(path, &error);
}

static bool convert(const char *path, const char *tensor, struct result *result)
{
    struct tn_convert_options how = { .to = "samediff-fb" };

    (void)tensor;
    return convert_as(path, &how, result);
}

static bool simplify(const char *path, const char *tensor,
                     struct result *result)
{
    struct tn_map_options     map = { .simplifies = true };
    struct tn_convert_options how = { .to = "onnx", .map = &map };

    (void)tensor;
    return convert_as(path, &how, result);
}

/* Rules alone, from their text to what can be run. */
static bool read_rules(const char *path, const char *tensor,
                       struct result *result)
{
    struct tn_error     error = { 0 };
    struct tn_rulebook *book;

    (void)tensor;
    if (tn_rulebook_open(&book, &path, 1, NULL, &error) != TN_OK)
        return fail(path, &error);
    result->nodes = tn_rulebook_count(book);
    print_memory();
    tn_rulebook_close(book);
    return true;
}

/* --- checking ------------------------------------------------------------ */

static bool check(const char *path, const char *tensor, struct result *result)
{
    struct tn_check_options options = { .skip_data = true };
    struct tn_check_summary summary;
    struct tn_error         error = { 0 };

    (void)tensor;
    if (tn_check(path, NULL, &options, NULL, NULL, &summary, &error) != TN_OK)
        return fail(path, &error);
    result->nodes = summary.nodes;
    if (summary.errors > 0)
        fprintf(stderr, "in_process: %s: it should have no errors\n", path);
    return summary.errors == 0;
}

/* --- tensors -------------------------------------------------------------- */

static bool read_one(const char *path, const char *name, struct result *result)
{
    struct tn_error  error = { 0 };
    struct tn_model *model;

    if (tn_model_open(&model, path, NULL, &error) != TN_OK)
        return fail(path, &error);
    result->nodes                  = tn_model_node_count(model);
    const struct tn_tensor *tensor = tn_model_find(model, name);
    size_t                  size = tensor ? (size_t)tn_tensor_size(tensor) : 0;
    void                   *to   = malloc(size + 1);
    bool                    is_read =
        tensor && to && tn_tensor_read(tensor, 0, to, size, &error) == TN_OK;
    free(to);
    tn_model_close(model);
    return is_read || fail(path, &error);
}

/* --- the table ------------------------------------------------------------ */

static const struct job jobs[] = {
    { "naive-onnx", scan_onnx },
    { "naive-graph", scan_graph },
    { "summary", open_summary },
    { "graph", open_graph },
    { "map", map },
    { "convert", convert },
    { "simplify", simplify },
    { "rules", read_rules },
    { "check", check },
    { "read", read_one },
    { "both", open_both },
    { "diff", compare_both },
    { "naive-records", hop_records },
    { "naive-rows", hop_and_note },
};

int main(int argc, char **argv)
{
    const struct job *job = NULL;

    for (size_t i = 0; argc >= 3 && i < sizeof jobs / sizeof *jobs; i++)
        if (strcmp(jobs[i].name, argv[1]) == 0)
            job = &jobs[i];
    if (!job) {
        fprintf(stderr, "usage: in_process JOB PATH [NAME]\n");
        return 2;
    }
    struct result result = { 0 };

    begun       = stopwatch_start();
    bool is_run = job->run(argv[2], argc > 3 ? argv[3] : "", &result);
    stopwatch_print(begun, (long)result.nodes);
    return is_run ? 0 : 1;
}
