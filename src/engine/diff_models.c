/* diff_models.c - what differs between two models: <tenon/diff.h> */
#define _DEFAULT_SOURCE
#include <sys/stat.h>

#include <tenon/diff.h>

#include "base/given.h"
#include "base/sized.h"
#include "diff/diff_report.h"
#include "engine/diff_models.h"
#include "engine/opened.h"
#include "io/file_source.h"
#include "io/meter.h"

/* Digests are computed once, because equal ops may share weights. */
struct digests {
    uint8_t (*items)[TN_HASH_SIZE];
    bool    *is_known;
    uint64_t count;
};

struct tn_diff {
    struct tn_opened      *store; /* owns this struct                         */
    struct tn_diff_match   match;
    struct tn_diff_report  report;
    struct tn_diff_host    host;
    struct tn_meter        meter;
    struct digests         digests[2];
    const struct tn_model *models[2];
    struct tn_source      *compared[2]; /* last sources that were compared    */
    bool                   is_one_file; /* and whether they are one file      */
    uint64_t               counted;     /* bytes that progress was told about */
};

/* ---- for the matching --------------------------------------------------- */

/* Its row in the model; UINT64_MAX if it has none: it is in an attribute that
 * was decoded. */
static uint64_t row_of(const struct tn_tensor *tensor)
{
    const struct tn_list *rows = &tensor->model->tensors;
    uintptr_t             from = (uintptr_t)rows->items;
    uintptr_t             at   = (uintptr_t)tensor;

    return at >= from && at - from < rows->count * sizeof *tensor
               ? (at - from) / sizeof *tensor
               : UINT64_MAX;
}

static enum tn_status digest_of(void *context, const struct tn_tensor *tensor,
                                uint8_t          to[TN_HASH_SIZE],
                                struct tn_error *error)
{
    struct tn_diff  *diff  = context;
    int              side  = tensor->model == diff->models[1];
    struct digests  *known = &diff->digests[side];
    struct tn_arena *arena = &diff->store->model.arena;
    uint64_t         index = row_of(tensor);

    if (!known->items) {
        known->count    = tensor->model->tensors.count;
        known->is_known = tn_new(arena, bool, known->count, error);
        known->items =
            tn_arena_array(arena, known->count, TN_HASH_SIZE, 1, error);
        if (tn_failed(error))
            return error->status;
    }
    if (index < known->count && known->is_known[index]) {
        memcpy(to, known->items[index], TN_HASH_SIZE);
        return TN_OK;
    }
    TN_TRY(tn_tensor_hash(tensor, to, error));
    if (index < known->count) {
        memcpy(known->items[index], to, TN_HASH_SIZE);
        known->is_known[index] = true;
    }
    return tn_meter_add(&diff->meter, 0, error);
}

static bool are_one_file(struct tn_diff *diff, struct tn_source *left,
                         struct tn_source *right)
{
    struct stat a, b;

    if (left == right)
        return true;
    if (!left || !right)
        return false;
    if (diff->compared[0] == left && diff->compared[1] == right)
        return diff->is_one_file;
    int x             = tn_source_descriptor(left);
    int y             = tn_source_descriptor(right);
    diff->compared[0] = left;
    diff->compared[1] = right;
    diff->is_one_file = x >= 0 && y >= 0 && fstat(x, &a) == 0 &&
                        fstat(y, &b) == 0 && a.st_dev == b.st_dev &&
                        a.st_ino == b.st_ino;
    return diff->is_one_file;
}

/* The same place of the same file, by device and inode. */
static bool is_known_same(void *context, const struct tn_tensor *left,
                          const struct tn_tensor *right)
{
    const struct tn_payload *a = &left->elements.payload;
    const struct tn_payload *b = &right->elements.payload;

    return a->encoding == b->encoding && a->encoding != TN_ENCODING_VIEW &&
           a->span.offset == b->span.offset &&
           a->span.length == b->span.length && a->stored == b->stored &&
           a->field == b->field && a->per_byte == b->per_byte &&
           a->is_uncounted == b->is_uncounted &&
           are_one_file(context, a->span.source, b->span.source);
}

static enum tn_status on_tensor(void *context, const struct tn_tensor *left,
                                struct tn_error *error)
{
    struct tn_diff *diff = context;

    return tn_meter_add(&diff->meter, tn_tensor_size(left), error);
}

/* ---- the whole ---------------------------------------------------------- */

static enum tn_status expect_graph(const struct tn_model *model,
                                   struct tn_error       *error)
{
    if (model->wants_graph || !model->dialect)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "to compare models, open them with wants_graph");
}

static enum tn_status check_sizes(const struct tn_model   *model,
                                  const struct tn_options *options,
                                  struct tn_error         *error)
{
    return tn_opened_check_expansion(
        model, tn_opened_may_expand(tn_opened_of(model), options), error);
}

static enum tn_status compare(struct tn_diff               *diff,
                              const struct tn_diff_options *how,
                              const struct tn_options      *options,
                              struct tn_error              *error)
{
    const struct tn_model *left = diff->models[0], *right = diff->models[1];
    bool                   skips_values = how && how->skips_values;
    struct tn_watch        watch;

    if (!skips_values) {
        TN_TRY(check_sizes(left, options, error));
        TN_TRY(check_sizes(right, options, error));
    }
    tn_meter_init(&diff->meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "comparing",
                  skips_values ? 0 : tn_model_elements_size(left));
    tn_meter_watch(&diff->meter, &watch, &diff->store->memory);
    diff->host = (struct tn_diff_host){ digest_of, diff };
    if (tn_diff_match_init(&diff->match, left, right,
                           skips_values ? NULL : &diff->host,
                           &diff->store->memory, error) == TN_OK) {
        diff->report.tolerance     = how ? how->tolerance : 0;
        diff->report.skips_values  = skips_values;
        diff->report.is_known_same = is_known_same;
        diff->report.on_tensor     = on_tensor;
        diff->report.context       = diff;
        tn_diff_report_make(&diff->report, error);
    }
    tn_watch_end(&watch);
    return error->status;
}

enum tn_status tn_diff_open(struct tn_diff **out, const struct tn_model *left,
                            const struct tn_model        *right,
                            const struct tn_diff_options *how,
                            const struct tn_options      *options,
                            struct tn_error              *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_TAKE_DIFF(how);
    TN_EXPECT_GIVEN(left && right, "model", error);
    struct tn_opened *store;

    TN_TRY(expect_graph(left, error));
    TN_TRY(expect_graph(right, error));
    if (how && !(how->tolerance >= 0))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a tolerance is 0 or more");
    TN_TRY(tn_opened_new(&store, options, error));
    struct tn_diff *diff =
        tn_new(&store->model.arena, struct tn_diff, 1, error);
    if (!diff) {
        tn_opened_release(store);
        return error->status;
    }
    diff->store     = store;
    diff->models[0] = left;
    diff->models[1] = right;
    diff->match     = (struct tn_diff_match){ .memory = &store->memory };
    tn_diff_report_init(&diff->report, &diff->match);
    if (compare(diff, how, options, error) != TN_OK) {
        tn_diff_close(diff);
        return error->status;
    }
    *out = diff;
    return TN_OK;
}

void tn_diff_close(struct tn_diff *diff)
{
    if (!diff)
        return;
    tn_diff_report_done(&diff->report);
    tn_diff_match_done(&diff->match);
    tn_opened_release(diff->store); /* the diff itself is in there */
}

uint64_t tn_diff_count(const struct tn_diff *diff)
{
    return diff->report.changes.count;
}

const struct tn_diff_change *tn_diff_change_at(const struct tn_diff *diff,
                                               uint64_t              index)
{
    return index < diff->report.changes.count
               ? tn_list_at(&diff->report.changes, struct tn_diff_change, index)
               : NULL;
}

struct tn_diff_summary tn_diff_summarize(const struct tn_diff *diff)
{
    return diff->report.summary;
}

uint32_t tn_diff_match_op(const struct tn_diff *diff, uint32_t left)
{
    return left < diff->match.left.op_count ? diff->match.ops[0][left]
                                            : TN_NONE;
}

const struct tn_diff_match *tn_diff_matching(const struct tn_diff *diff)
{
    return &diff->match;
}

bool tn_diff_is_exact(const struct tn_diff *diff)
{
    return diff->report.tolerance == 0 && !diff->report.skips_values;
}
