/*
 * cancel_test.c - every public call that takes options, stopped at every place
 * where it asks whether to go on, and what it says about how far it is
 *
 * The headers say which calls there are: one that is missing here is a failure.
 * Calls ask ten times a second.  Here the clock goes on by a second whenever
 * somebody looks at it, so they ask wherever they can.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <tenon/tenon.h>

#include "support/hostile.h"
#include "support/little_models.h"
#include "support/scratch.h"

/* What is written in portions is counted when there is so much of it. */
#define UNCOUNTED (64 << 10)

/* So many stops one after the other, then every seventh. */
#define EVERY_STOP 12
#define STRIDE     5

static atomic_long seconds;

/* Instead of the system's: the program is linked with the library, and its own
 * function is the one that is called. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){ .tv_sec = atomic_fetch_add(&seconds, 1) };
    return 0;
}

/* ---- what the calls work on ----------------------------------------------
 */

#define TENSORS       6
#define TENSOR_FLOATS (40 << 10)

struct bench {
    struct tn_scratch scratch;
    char              in[300], out[300]; /* folders                          */
    struct tn_model  *model, *other;
    struct tn_diff   *diff;
    struct tn_schema *schema;
    struct tn_bytes   chunked; /* all of parts.cpb                           */
    struct tn_options options; /* of the call                                */
    struct tn_target  target;
    struct tn_error   error;
    int               asked, stop_at;
    const char       *doing; /* at the last time it asked                    */
    uint64_t          done, total;
    char              paths[4][400];
    unsigned          next_path;
};

static int ask(void *context, const char *doing, uint64_t done, uint64_t total)
{
    struct bench *bench = context;

    assert_non_null(doing);
    assert_true(doing[0] != '\0');
    if (total)
        assert_true(done <= total);
    if (bench->asked && bench->total == total &&
        strcmp(bench->doing, doing) == 0 && done < bench->done)
        fail_msg("%s goes back from %" PRIu64 " to %" PRIu64, doing,
                 bench->done, done);
    bench->doing = doing;
    bench->done  = done;
    bench->total = total;
    return ++bench->asked == bench->stop_at;
}

static const char *below(struct bench *bench, const char *folder,
                         const char *name)
{
    char *path = bench->paths[bench->next_path++ % 4];

    snprintf(path, sizeof bench->paths[0], "%s/%s", folder, name);
    return path;
}

static const char *in(struct bench *bench, const char *name)
{
    return below(bench, bench->in, name);
}

static const struct tn_target *to(struct bench *bench, const char *name)
{
    bench->target = (struct tn_target){ .path = below(bench, bench->out, name),
                                        .can_replace = true };
    return &bench->target;
}

static void must(enum tn_status status, const struct tn_error *error)
{
    if (status != TN_OK)
        fail_msg("%s: %s", error->where, error->what);
}

static struct tn_model *open_path(const char *path)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    must(tn_model_open(&model, path, &options, &error), &error);
    return model;
}

/* y = ((x + w0) + w1) ..., whose weights are `first`, `first` + 1, ... */
static void make_chain(struct bench *bench, const char *name, float first)
{
    static const char head[] =
        "ir_version: 8 producer_name: \"test\" opset_import { version: 17 }\n"
        "graph { name: \"g\"\n"
        "  input { name: \"x0\" type { tensor_type { elem_type: 1 shape {\n"
        "    dim { dim_value: 40960 } } } } }\n"
        "  output { name: \"x6\" type { tensor_type { elem_type: 1 shape {\n"
        "    dim { dim_value: 40960 } } } } }\n";
    struct tn_error  error   = TN_ERROR_INIT;
    uint64_t         shape[] = { TENSOR_FLOATS };
    float           *floats  = malloc(TENSOR_FLOATS * sizeof *floats);
    struct tn_edit  *edit;
    struct tn_model *model;
    char             text[4096], weight[20];
    size_t           size = sizeof head - 1;

    memcpy(text, head, size);
    for (int i = 0; i < TENSORS; i++)
        size += (size_t)snprintf(
            text + size, sizeof text - size,
            "  node { input: \"x%d\" input: \"w%d\" output: \"x%d\"\n"
            "    name: \"n%d\" op_type: \"Add\" doc_string: \"line %d\" }\n"
            "  initializer { dims: 1 data_type: 1 name: \"w%d\"\n"
            "    raw_data: \"\\000\\000\\200?\" }\n",
            i, i, i + 1, i, i, i);
    snprintf(text + size, sizeof text - size, "}\n");
    tn_make_model(&bench->scratch, "little.onnx", text);
    struct tn_model *little =
        open_path(tn_in_scratch(&bench->scratch, "little.onnx"));
    must(tn_edit_open(&edit, little, NULL, &error), &error);
    for (int i = 0; i < TENSORS; i++) {
        for (int j = 0; j < TENSOR_FLOATS; j++)
            floats[j] = first + (float)i + (float)(j % 1000) / 1000;
        snprintf(weight, sizeof weight, "w%d", i);
        must(tn_edit_replace_elements(
                 edit, 0, weight, TN_FLOAT32, 1, shape,
                 tn_bytes(floats, TENSOR_FLOATS * sizeof *floats), &error),
             &error);
    }
    must(tn_edit_commit(edit, &model, &error), &error);
    struct tn_target target = { .path = in(bench, name) };
    must(tn_edit_write(model, NULL, &target, NULL, NULL, &error), &error);
    tn_model_close(model);
    tn_edit_close(edit);
    tn_model_close(little);
    free(floats);
}

static void make_files(struct bench *bench)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_split_options split = { .max_size = 64 << 10 };
    struct tn_target        target;

    make_chain(bench, "m.onnx", 1);
    make_chain(bench, "other.onnx", 2);
    bench->model = open_path(in(bench, "m.onnx"));
    bench->other = open_path(in(bench, "other.onnx"));
    target       = (struct tn_target){ .path = in(bench, "m.safetensors") };
    must(tn_convert(bench->model, NULL, &target, NULL, NULL, &error), &error);
    target = (struct tn_target){ .path = in(bench, "m.textproto") };
    must(tn_dump(in(bench, "m.onnx"), NULL, NULL, &target, NULL, NULL, &error),
         &error);
    target = (struct tn_target){ .path = in(bench, "parts") };
    must(tn_split(in(bench, "m.onnx"), NULL, &split, &target, NULL, &error),
         &error);
    bench->chunked = tn_load_file(in(bench, "parts.cpb"));
    assert_non_null(bench->chunked.data);
    must(tn_diff_open(&bench->diff, bench->model, bench->other, NULL, NULL,
                      &error),
         &error);
    target = (struct tn_target){ .path = in(bench, "change.patch") };
    must(tn_diff_write_patch(bench->diff, &target, NULL, NULL, &error), &error);
    must(tn_schema_builtin(&bench->schema, "onnx", NULL, &error), &error);
    must(tn_tag_add(in(bench, "tags.sdz"), "v1", bench->model, NULL, NULL, NULL,
                    &error),
         &error);
    must(tn_tag_add(in(bench, "tags.sdz"), "v2", bench->other, NULL, NULL, NULL,
                    &error),
         &error);
}

static void close_files(struct bench *bench)
{
    tn_diff_close(bench->diff);
    tn_schema_close(bench->schema);
    tn_model_close(bench->model);
    tn_model_close(bench->other);
    free((void *)(uintptr_t)bench->chunked.data);
}

/* ---- the calls ------------------------------------------------------------
 */

#define OPTIONS &bench->options
#define ERROR   &bench->error

static int hear_statistics(void *context, uint64_t index,
                           const struct tn_statistics *statistics)
{
    (void)context;
    (void)index;
    (void)statistics;
    return 0;
}

static int read_file(void *context, uint64_t offset, void *to, size_t size)
{
    struct tn_bytes *bytes = context;

    memcpy(to, bytes->data + offset, size);
    return 0;
}

/* The file that a call changes, as it was. */
static const char *copy(struct bench *bench, const char *name)
{
    const char     *path  = in(bench, name);
    struct tn_bytes bytes = tn_load_file(path);
    int             file  = open(path = below(bench, bench->scratch.path, name),
                                 O_WRONLY | O_CREAT | O_TRUNC, 0666);

    assert_non_null(bytes.data);
    assert_int_equal(write(file, bytes.data, bytes.size), bytes.size);
    close(file);
    free((void *)(uintptr_t)bytes.data);
    return path;
}

static void run_open(struct bench *bench)
{
    struct tn_model *model;

    tn_model_open(&model, in(bench, "m.onnx"), OPTIONS, ERROR);
    tn_model_close(model);
}

static void run_open_source(struct bench *bench)
{
    struct tn_bytes  bytes = tn_load_file(in(bench, "m.onnx"));
    struct tn_model *model;

    tn_model_open_source(&model, "m.onnx", bytes.size, read_file, &bytes,
                         OPTIONS, ERROR);
    tn_model_close(model);
    free((void *)(uintptr_t)bytes.data);
}

static void run_folder(struct bench *bench)
{
    tn_folder_models(bench->in, OPTIONS, NULL, NULL, ERROR);
}

/* To be stopped is no fault of the file. */
static int hear_finding(void *context, const struct tn_finding *finding)
{
    (void)context;
    if (finding->severity == TN_SEVERITY_ERROR)
        fail_msg("%s: %s: %s", finding->rule, finding->where, finding->what);
    return 0;
}

static void run_check(struct bench *bench)
{
    static const char *const names[] = { "m.onnx", "m.safetensors", "parts.cpb",
                                         "tags.sdz" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (tn_check(in(bench, names[i]), OPTIONS, NULL, hear_finding, NULL,
                     NULL, ERROR) != TN_OK)
            return;
}

static void run_get(struct bench *bench)
{
    struct tn_get_options get = { .form = TN_GET_TEXT };

    tn_get(tn_model_tensor(bench->model, 0), &get, to(bench, "w.txt"), OPTIONS,
           ERROR);
}

static void run_array(struct bench *bench)
{
    struct tn_array_options part  = { .slice = "::3" };
    struct tn_array        *array = NULL;

    tn_array_open(&array, tn_model_tensor(bench->model, 0), &part, OPTIONS,
                  ERROR);
    tn_array_close(array);
}

static void run_hash(struct bench *bench)
{
    uint8_t digests[TENSORS][TN_HASH_SIZE];

    tn_model_hash(bench->model, OPTIONS, digests, ERROR);
}

static void run_hash_decoded(struct bench *bench)
{
    uint8_t digests[TENSORS][TN_HASH_SIZE];

    tn_model_hash_decoded(bench->model, OPTIONS, digests, ERROR);
}

static void run_statistics(struct bench *bench)
{
    const struct tn_tensor *tensors[TENSORS];

    for (uint32_t i = 0; i < TENSORS; i++)
        tensors[i] = tn_model_tensor(bench->model, i);
    tn_statistics_compute(bench->model, tensors, TENSORS, OPTIONS,
                          hear_statistics, NULL, ERROR);
}

static void run_dump(struct bench *bench)
{
    tn_dump(in(bench, "m.onnx"), OPTIONS, NULL, to(bench, "m.txt"), NULL, NULL,
            ERROR);
}

static void run_undump(struct bench *bench)
{
    tn_undump(in(bench, "m.textproto"), OPTIONS, NULL, to(bench, "u.onnx"),
              ERROR);
}

static void run_convert(struct bench *bench)
{
    struct tn_convert_options convert = { .to = "sdz" };

    tn_convert(bench->model, &convert, to(bench, "c.sdz"), OPTIONS, NULL,
               ERROR);
}

static void run_plan(struct bench *bench)
{
    tn_plan(bench->model, NULL, "p.sdz", OPTIONS, NULL, NULL, ERROR);
}

static void run_split(struct bench *bench)
{
    struct tn_split_options split = { .max_size = 64 << 10,
                                      .records  = "zstd:1" };

    tn_split(in(bench, "m.onnx"), OPTIONS, &split, to(bench, "s"), NULL, ERROR);
}

static void run_merge_file(struct bench *bench)
{
    tn_merge_file(in(bench, "parts"), OPTIONS, NULL, to(bench, "m.onnx"), NULL,
                  ERROR);
}

static void run_strip(struct bench *bench)
{
    struct tn_strip_options strip = { .callstack = true };

    tn_strip(in(bench, "m.onnx"), OPTIONS, &strip, to(bench, "s.onnx"), NULL,
             ERROR);
}

static void run_view(struct bench *bench)
{
    struct tn_view_options view = TN_VIEW_OPTIONS_INIT;

    view.stats = true;
    tn_view(bench->model, &view, to(bench, "v.html"), OPTIONS, NULL, ERROR);
}

static void run_diff(struct bench *bench)
{
    struct tn_diff *diff = NULL;

    tn_diff_open(&diff, bench->model, bench->other, NULL, OPTIONS, ERROR);
    tn_diff_close(diff);
}

static void run_patch(struct bench *bench)
{
    tn_diff_write_patch(bench->diff, to(bench, "d.patch"), OPTIONS, NULL,
                        ERROR);
}

static void run_diff_view(struct bench *bench)
{
    tn_diff_write_view(bench->diff, to(bench, "d.html"), OPTIONS, NULL, ERROR);
}

static void run_edit_write(struct bench *bench)
{
    tn_edit_write(bench->model, NULL, to(bench, "e.onnx"), OPTIONS, NULL,
                  ERROR);
}

static void run_edit_open(struct bench *bench)
{
    struct tn_edit  *edit;
    struct tn_model *model = NULL;

    if (tn_edit_open(&edit, bench->model, OPTIONS, ERROR) == TN_OK &&
        tn_edit_act(edit, "float16", NULL, ERROR) == TN_OK)
        tn_edit_commit(edit, &model, ERROR);
    tn_model_close(model);
    tn_edit_close(edit);
}

static void run_apply(struct bench *bench)
{
    struct tn_apply_options apply = { .script = in(bench, "change.patch") };

    tn_apply(in(bench, "m.onnx"), OPTIONS, &apply, to(bench, "a.onnx"), NULL,
             ERROR);
}

static void run_scan(struct bench *bench)
{
    tn_scan(bench->in, OPTIONS, NULL, NULL, NULL, ERROR);
}

static void run_catalog(struct bench *bench)
{
    const char *paths[] = { bench->in };

    tn_catalog(paths, 1, NULL, to(bench, "c.ndjson"), OPTIONS, NULL, ERROR);
}

static void run_tag_list(struct bench *bench)
{
    tn_tag_list(in(bench, "tags.sdz"), OPTIONS, true, NULL, NULL, ERROR);
}

static void run_tag_diff(struct bench *bench)
{
    tn_tag_diff(in(bench, "tags.sdz"), "v1", "v2", OPTIONS, NULL, NULL, ERROR);
}

static void run_tag_add(struct bench *bench)
{
    tn_tag_add(copy(bench, "tags.sdz"), "v3", bench->model, NULL, OPTIONS, NULL,
               ERROR);
}

static void run_tag_remove(struct bench *bench)
{
    tn_tag_remove(copy(bench, "tags.sdz"), "v1", NULL, OPTIONS, NULL, ERROR);
}

static void run_tag_compact(struct bench *bench)
{
    tn_tag_compact(copy(bench, "tags.sdz"), NULL, OPTIONS, NULL, ERROR);
}

static void run_tag_repair(struct bench *bench)
{
    bool is_changed;

    tn_tag_repair(copy(bench, "tags.sdz"), OPTIONS, NULL, NULL, &is_changed,
                  ERROR);
}

static void run_message(struct bench *bench)
{
    struct tn_message *message = NULL;

    if (tn_message_open(&message, bench->schema, "onnx.ModelProto",
                        in(bench, "m.onnx"), OPTIONS, ERROR) == TN_OK)
        tn_message_write(message, to(bench, "m.onnx"), ERROR);
    tn_message_close(message);
}

static void run_merge_read(struct bench *bench)
{
    struct tn_message *message = NULL;

    if (tn_merge_read(&message, bench->schema, "onnx.ModelProto",
                      in(bench, "parts"), NULL, 0, OPTIONS, ERROR) == TN_OK)
        tn_message_write(message, to(bench, "m.onnx"), ERROR);
    tn_message_close(message);
}

static void run_merge_bytes(struct bench *bench)
{
    struct tn_message *message = NULL;

    if (tn_merge_bytes(&message, bench->schema, "onnx.ModelProto",
                       bench->chunked, OPTIONS, ERROR) == TN_OK)
        tn_message_write(message, to(bench, "m.onnx"), ERROR);
    tn_message_close(message);
}

static const struct job {
    const char *name; /* of the call                                          */
    void (*run)(struct bench *bench);
    const char *changes; /* a file beside `in`; else it writes to `out` */
    const char *leaves;  /* in `out`, for the next call to go on with */
} jobs[] = {
    { "tn_model_open", run_open, NULL, NULL },
    { "tn_model_open_source", run_open_source, NULL, NULL },
    { "tn_folder_models", run_folder, NULL, NULL },
    { "tn_check", run_check, NULL, NULL },
    { "tn_get", run_get, NULL, NULL },
    { "tn_array_open", run_array, NULL, NULL },
    { "tn_model_hash", run_hash, NULL, NULL },
    { "tn_model_hash_decoded", run_hash_decoded, NULL, NULL },
    { "tn_statistics_compute", run_statistics, NULL, NULL },
    { "tn_dump", run_dump, NULL, NULL },
    { "tn_undump", run_undump, NULL, NULL },
    { "tn_convert", run_convert, NULL, NULL },
    { "tn_plan", run_plan, NULL, NULL },
    { "tn_split", run_split, NULL, NULL },
    { "tn_merge_file", run_merge_file, NULL, NULL },
    { "tn_strip", run_strip, NULL, NULL },
    { "tn_view", run_view, NULL, NULL },
    { "tn_diff_open", run_diff, NULL, NULL },
    { "tn_diff_write_patch", run_patch, NULL, NULL },
    { "tn_diff_write_view", run_diff_view, NULL, NULL },
    { "tn_edit_write", run_edit_write, NULL, NULL },
    { "tn_edit_open", run_edit_open, NULL, NULL },
    { "tn_apply", run_apply, NULL, NULL },
    { "tn_scan", run_scan, NULL, NULL },
    { "tn_catalog", run_catalog, NULL, "c.ndjson.part" },
    { "tn_tag_list", run_tag_list, NULL, NULL },
    { "tn_tag_diff", run_tag_diff, NULL, NULL },
    { "tn_tag_add", run_tag_add, "tags.sdz", NULL },
    { "tn_tag_remove", run_tag_remove, "tags.sdz", NULL },
    { "tn_tag_compact", run_tag_compact, "tags.sdz", NULL },
    { "tn_tag_repair", run_tag_repair, "tags.sdz", NULL },
    { "tn_message_open", run_message, NULL, NULL },
    { "tn_merge_read", run_merge_read, NULL, NULL },
    { "tn_merge_bytes", run_merge_bytes, NULL, NULL },
};

/* They look at what is in memory, or at a few files of rules. */
static const char *const short_calls[] = {
    "tn_edit_new",       "tn_text_read",          "tn_tensor_list_open",
    "tn_op_list_open",   "tn_metadata_list_open", "tn_schema_open",
    "tn_schema_builtin", "tn_message_bytes",      "tn_merge",
    "tn_merger_open",    "tn_merger_open_bytes",  "tn_merger_open_chunks",
    "tn_rulebook_open",  "tn_interpreter_open",   "tn_interpreter_extract",
};

static void empty_out(struct bench *bench)
{
    int folder = open(bench->out, O_RDONLY | O_DIRECTORY);

    assert_true(folder >= 0);
    tn_scratch_empty(folder);
    close(folder);
}

/* Nothing is half written: no file appears, and what is changed in place is as
 * it was. */
static void check_files(struct bench *bench, const struct job *job)
{
    struct tn_bytes before, after;

    if (job->leaves)
        unlink(below(bench, bench->out, job->leaves));
    if (tn_scratch_count(&bench->scratch, "out", "") != 0)
        fail_msg("%s, stopped at %d, leaves a file", job->name, bench->stop_at);
    if (!job->changes)
        return;
    before = tn_load_file(in(bench, job->changes));
    after  = tn_load_file(below(bench, bench->scratch.path, job->changes));
    if (!tn_bytes_equal(before, after))
        fail_msg("%s, stopped at %d, changes %s", job->name, bench->stop_at,
                 job->changes);
    free((void *)(uintptr_t)before.data);
    free((void *)(uintptr_t)after.data);
}

/* False when it was done before it was asked so often. */
static bool stop_job(struct bench *bench, const struct job *job)
{
    bench->asked = 0;
    bench->error = (struct tn_error)TN_ERROR_INIT;
    job->run(bench);
    if (bench->asked < bench->stop_at) {
        if (bench->error.status != TN_OK)
            fail_msg("%s: %s: %s", job->name, bench->error.where,
                     bench->error.what);
        if (bench->total && bench->total - bench->done >= UNCOUNTED)
            fail_msg("%s ends at %" PRIu64 " of %" PRIu64, job->name,
                     bench->done, bench->total);
        return false;
    }
    if (bench->error.status != TN_CANCELLED)
        fail_msg("%s, stopped at %d: status %d: %s", job->name, bench->stop_at,
                 bench->error.status, bench->error.what);
    if (bench->asked != bench->stop_at)
        fail_msg("%s was told to stop at %d and asked %d times", job->name,
                 bench->stop_at, bench->asked);
    assert_true(bench->error.what[0] != '\0');
    check_files(bench, job);
    return true;
}

static void every_call_can_be_stopped(void **state)
{
    struct bench bench = { .scratch = tn_scratch_open() };

    (void)state;
    snprintf(bench.in, sizeof bench.in, "%s/in", bench.scratch.path);
    snprintf(bench.out, sizeof bench.out, "%s/out", bench.scratch.path);
    assert_int_equal(mkdir(bench.in, 0777), 0);
    assert_int_equal(mkdir(bench.out, 0777), 0);
    make_files(&bench);
    bench.options = (struct tn_options){ .workers          = 1,
                                         .progress         = ask,
                                         .progress_context = &bench };
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        bench.stop_at = 1;
        if (!stop_job(&bench, &jobs[i]))
            fail_msg("%s does not ask", jobs[i].name);
        while (stop_job(&bench, &jobs[i]))
            bench.stop_at += bench.stop_at < EVERY_STOP ? 1 : STRIDE;
        empty_out(&bench);
    }
    close_files(&bench);
    tn_scratch_close(&bench.scratch);
}

/* ---- the headers ----------------------------------------------------------
 */

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        if (strcmp(jobs[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof short_calls / sizeof short_calls[0]; i++)
        if (strcmp(short_calls[i], name) == 0)
            return true;
    return false;
}

/* Whether it takes options, and is not in the table. */
static bool is_missing(const char *from, const char *to, char name[100])
{
    const char *end = memchr(from, '(', (size_t)(to - from)), *begin = end;

    if (!end || !memmem(from, (size_t)(to - from), "struct tn_options ", 18))
        return false;
    while (begin > from &&
           (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    snprintf(name, 100, "%.*s", (int)(end - begin), begin);
    return !is_known(name);
}

static void no_call_is_missing(void **state)
{
    glob_t found;
    char   name[100];

    (void)state;
    assert_int_equal(
        glob(TN_CORPUS "/../../include/tenon/*.h", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 10);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct tn_bytes bytes = tn_load_file(found.gl_pathv[i]);
        char           *text  = strndup((const char *)bytes.data, bytes.size);
        for (char *at = text; (at = strstr(at, "TN_API ")) != NULL;) {
            char *end = strchr(at, ';');
            assert_non_null(end);
            if (is_missing(at, end, name))
                fail_msg("nobody stops %s", name);
            at = end;
        }
        free(text);
        free((void *)(uintptr_t)bytes.data);
    }
    globfree(&found);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_can_be_stopped),
        cmocka_unit_test(no_call_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
