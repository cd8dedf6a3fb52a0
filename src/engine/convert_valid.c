/* convert_valid.c - refuses to convert invalid graphs */
#include "engine/convert_valid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "ir/attr.h"
#include "ir/dialect_facts.h"

/* More errors than that are not counted. */
#define MOST 1000

/* Checking fewer takes less time than starting another thread. */
#define MANY_NODES 10000

/* Errors that do not matter for a conversion, which infers types and ranks
 * itself, makes names, and writes initializers that are not inputs. */
static const char *const harmless[] = {
    "missing-shape",      "missing-type",          "missing-name",
    "missing-ir-version", "initializer-not-input", NULL
};

/* Errors by hash of what they say. */
struct known_errors {
    size_t   count;
    uint64_t items[MOST];
};

struct listening {
    const struct tn_validity *how;
    const char *const        *ignored;
    struct known_errors      *noted; /* all errors are noted here; or NULL    */
    struct known_errors      *known; /* each of these may occur once; or NULL */
    uint64_t                  count;
    struct tn_error           first; /* with the rule in its words            */
};

static bool is_among(const char *const *list, const char *rule)
{
    for (; list && *list; list++)
        if (!strcmp(*list, rule))
            return true;
    return false;
}

static void tell(const struct listening *l, const char *rule,
                 const struct tn_error *finding)
{
    struct tn_finding told = { TN_SEVERITY_ERROR, rule,           finding->file,
                               finding->offset,   finding->where, finding->what,
                               finding->reason };

    if (l->how->each)
        l->how->each(l->how->context, &told);
}

/* An edit moves nodes: their numbers in the graph are not part of an error. */
static uint64_t hash_finding(const char *rule, const struct tn_error *finding)
{
    struct tn_bytes what = tn_text(finding->what);

    return (uint64_t)tn_hash_bytes(tn_text(rule), 0) << 32 |
           tn_hash_bytes(what, 1);
}

static void note_error(struct known_errors *to, uint64_t hash)
{
    if (to->count < MOST)
        to->items[to->count++] = hash;
}

/* Whether an error was there before; it then counts as found. */
static bool take_known(struct known_errors *known, uint64_t hash)
{
    for (size_t i = 0; known && i < known->count; i++)
        if (known->items[i] == hash) {
            known->items[i] = known->items[--known->count];
            return true;
        }
    return false;
}

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct listening *l = context;

    if (level != TN_LEVEL_ERROR || is_among(l->ignored, rule) ||
        (l->how->allows_unknown && !strcmp(rule, "unknown-op")))
        return 0;
    if (l->noted)
        note_error(l->noted, hash_finding(rule, finding));
    if (take_known(l->known, hash_finding(rule, finding)))
        return 0;
    if (l->count++ == 0) {
        l->first        = *finding;
        l->first.reason = strcmp(rule, "missing-type") == 0
                              ? TN_REASON_UNKNOWN_TYPE
                              : TN_REASON_NONE;
        snprintf(l->first.what, sizeof l->first.what, "%.600s [%.30s]",
                 finding->what, rule);
    }
    tell(l, rule, finding);
    return l->count == MOST;
}

static void check_graph(void *context, struct tn_report *report,
                        struct tn_error *error)
{
    const struct tn_judging *j = context;

    if (j->also)
        report->workers = tn_pipeline_workers(report->workers) > 2
                              ? tn_pipeline_workers(report->workers) - 1
                              : 1;
    if (j->format && j->format->check_graph)
        j->format->check_graph(j->model, report, error);
    if (j->also)
        j->also(j->also_context);
}

static enum tn_status judge(struct tn_judging *j, struct listening *l,
                            struct tn_error *error)
{
    struct tn_report report = { .each      = hear,
                                .context   = l,
                                .skip_data = true,
                                .workers   = j->how.workers,
                                .memory    = j->model->memory };

    if (j->is_begun)
        tn_later_check_end(&j->check, &report, error);
    else
        check_graph(j, &report, error);
    j->is_begun = false;
    if (tn_failed(error))
        return error->status;
    if (tn_failed(&report.failure))
        *error = report.failure;
    if (l->how->count)
        *l->how->count += l->count;
    return error->status;
}

static enum tn_status refuse(const struct listening *l, enum tn_status status,
                             enum tn_reason reason, struct tn_error *error)
{
    char more[40] = "";

    if (l->count == 0 || l->how->is_forced)
        return TN_OK;
    if (l->count > 1)
        snprintf(more, sizeof more, " (and %" PRIu64 " more)", l->count - 1);
    *error        = l->first;
    error->status = status;
    if (error->reason == TN_REASON_NONE)
        error->reason = reason;
    size_t size = strlen(error->what);
    snprintf(error->what + size, sizeof error->what - size, "%s", more);
    return status;
}

static enum tn_status judge_invalid(struct tn_judging *j,
                                    struct tn_error   *error)
{
    struct listening l = { .how = &j->how, .ignored = harmless };

    TN_TRY(judge(j, &l, error));
    return refuse(&l, TN_MALFORMED, TN_REASON_INVALID_MODEL, error);
}

static enum tn_status judge_made(struct tn_judging *j, struct tn_error *error)
{
    struct listening l = { .how = &j->how };
    char             what[sizeof error->what];

    TN_TRY(judge(j, &l, error));
    if (refuse(&l, TN_UNSUPPORTED, TN_REASON_INVALID_RESULT, error) == TN_OK)
        return TN_OK;
    snprintf(what, sizeof what,
             "cannot convert to %s: the result would be invalid: %.700s",
             tn_dialect_facts(j->format->dialect)->title, error->what);
    memcpy(error->what, what, sizeof what);
    return error->status;
}

static void judging_init(struct tn_judging *j, const struct tn_model *model,
                         const struct tn_format   *format,
                         const struct tn_validity *how)
{
    j->model    = model;
    j->format   = format;
    j->how      = *how;
    j->is_begun = false;
    j->also     = NULL;
}

enum tn_status tn_refuse_invalid(const struct tn_model    *model,
                                 const struct tn_validity *how,
                                 struct tn_error          *error)
{
    struct tn_judging j;

    judging_init(&j, model, tn_opened_of(model)->format, how);
    return judge_invalid(&j, error);
}

enum tn_status tn_refuse_made(const struct tn_model    *model,
                              const struct tn_format   *format,
                              const struct tn_validity *how,
                              struct tn_error          *error)
{
    struct tn_judging j;

    judging_init(&j, model, format, how);
    return judge_made(&j, error);
}

/* ---- the result of an edit ---------------------------------------------- */

/* Whether a value of that name was read, and defined nowhere, before the edit:
 * some programs are fed by hand.  Graphs may have other numbers now. */
static bool was_undefined(const struct tn_model *before, struct tn_bytes name)
{
    uint32_t id = before ? tn_intern_find(&before->names, name) : TN_NO_NAME;

    if (id == TN_NO_NAME)
        return false;
    for (uint64_t i = 0; i < before->values.count; i++) {
        const struct tn_value *value =
            tn_list_at(&before->values, struct tn_value, i);
        if (value->name == id && value->kind == TN_VALUE_UNDEFINED)
            return true;
    }
    return false;
}

static bool is_made(const struct tn_model *model, struct tn_bytes name)
{
    uint32_t value = tn_model_find_named(model, 0, name);

    return value != TN_NONE &&
           tn_model_value_at(model, value)->kind != TN_VALUE_UNDEFINED;
}

static bool has_output(const struct tn_model *model, struct tn_bytes name)
{
    struct tn_io_list outputs = tn_model_outputs(model);

    for (uint32_t i = 0; i < outputs.count; i++)
        if (tn_bytes_equal(outputs.items[i].name, name))
            return true;
    return false;
}

static bool has_loss(const struct tn_model *model, struct tn_bytes name)
{
    for (uint32_t i = 0; i < model->loss_count; i++)
        if (tn_bytes_equal(model->losses[i], name))
            return true;
    return false;
}

static void complain(struct listening *l, const char *rule, const char *where,
                     struct tn_bytes name, const char *what)
{
    struct tn_error finding = TN_ERROR_INIT;

    tn_error_set(&finding, TN_INVALID, TN_NOWHERE, "'%.*s' %s", TN_FMT(name),
                 what);
    tn_error_where(&finding, "%s", where);
    hear(l, TN_LEVEL_ERROR, rule, &finding);
}

/* Formats do not see the model before the edit, so this checks whether the edit
 * removed the producer of a value. */
static void find_lost(struct listening *l, const struct tn_model *model,
                      const struct tn_model *before)
{
    struct tn_io_list outputs = tn_model_outputs(model);
    char              where[120];
    bool              are_ops = model->dialect->producer_of ||
                   tn_dialect_facts(model->dialect->name)->has_inputs_as_ops;

    for (uint32_t op = 0; op < model->ops.count && l->count == 0; op++)
        for (uint32_t k = 0; k < tn_model_op_at(model, op)->input_count; k++) {
            uint32_t id = tn_op_input(model, op, k);
            if (id == TN_NONE ||
                tn_model_value_at(model, id)->kind != TN_VALUE_UNDEFINED ||
                was_undefined(before, tn_model_value_name(model, id)))
                continue;
            tn_op_path(model, op, where, sizeof where);
            complain(l, "dangling-input", where, tn_model_value_name(model, id),
                     "is an input, but is not defined anywhere");
        }
    for (uint32_t i = 0; !are_ops && i < outputs.count && l->count == 0; i++) {
        struct tn_bytes name = outputs.items[i].name;
        if (outputs.items[i].is_guessed || is_made(model, name) ||
            (before && has_output(before, name) && !is_made(before, name)))
            continue;
        snprintf(where, sizeof where, "output[%" PRIu32 "]", i);
        complain(l, "dangling-output", where, name,
                 "is an output and not made in this graph");
    }
}

/* A loss may be no output of the graph. */
static void find_lost_losses(struct listening *l, const struct tn_model *model,
                             const struct tn_model *before)
{
    char where[120];

    for (uint32_t i = 0; i < model->loss_count && l->count == 0; i++) {
        struct tn_bytes name = model->losses[i];
        if (is_made(model, name) ||
            (before && has_loss(before, name) && !is_made(before, name)))
            continue;
        snprintf(where, sizeof where, "loss[%" PRIu32 "]", i);
        complain(l, "unknown-loss", where, name,
                 "is a loss and not made in this graph");
    }
}

/* The same for the values that signatures take and give: "x:0". */
static void find_lost_io(struct listening *l, const struct tn_model *model,
                         const struct tn_model *before, struct tn_io_list list,
                         const char *signature)
{
    for (uint32_t i = 0; i < list.count && l->count == 0; i++) {
        uint32_t        output;
        struct tn_bytes name =
            model->dialect->producer_of(list.items[i].name, &output);
        char where[120];
        if (!name.size || is_made(model, name) ||
            (before && !is_made(before, name)))
            continue;
        snprintf(where, sizeof where, "signature '%.80s'", signature);
        complain(l, "unknown-signature-tensor", where, list.items[i].name,
                 "is in the signature and not made in this graph");
    }
}

static void find_lost_signatures(struct listening      *l,
                                 const struct tn_model *model,
                                 const struct tn_model *before)
{
    for (uint64_t i = 0;
         model->dialect->producer_of && i < model->signatures.count; i++) {
        const struct tn_signature *s =
            tn_list_at(&model->signatures, struct tn_signature, i);
        char name[81];
        snprintf(name, sizeof name, "%.*s", TN_FMT(s->name));
        find_lost_io(l, model, before, s->inputs, name);
        find_lost_io(l, model, before, s->outputs, name);
    }
}

/* Invalid names of nodes that the edit set.  For names in a file, formats check
 * that when they read it. */
static void find_bad_names(struct listening *l, const struct tn_model *model,
                           const struct tn_model *before)
{
    char where[120];

    for (uint32_t op = 0; model->dialect->is_op_name && l->count == 0 &&
                          op < model->ops.count;
         op++) {
        struct tn_bytes name =
            tn_model_name(model, tn_model_op_at(model, op)->name);
        if (model->dialect->is_op_name(name) ||
            (before && tn_intern_find(&before->names, name) != TN_NO_NAME))
            continue;
        tn_op_path(model, op, where, sizeof where);
        complain(l, "bad-name", where, name, "is not a valid name of a node");
    }
}

/* The errors of a model that an edit did not make. */
static enum tn_status note_before(const struct tn_model *before,
                                  struct known_errors   *known,
                                  struct tn_error       *error)
{
    const struct tn_validity quiet = { 0 };
    struct listening         l     = { .how = &quiet, .noted = known };
    struct tn_judging        j;

    if (!before)
        return TN_OK;
    judging_init(&j, before, tn_opened_of(before)->format, &quiet);
    return judge(&j, &l, error);
}

/* Few results have errors; only then the old model is checked, too. */
static enum tn_status find_new_errors(const struct tn_model *model,
                                      const struct tn_model *before,
                                      struct listening      *l,
                                      struct tn_error       *error)
{
    const struct tn_validity quiet = { 0 };
    struct listening         all   = { .how = &quiet };
    struct known_errors      known = { 0 };
    struct tn_judging        j;

    judging_init(&j, model, tn_opened_of(model)->format, &quiet);
    TN_TRY(judge(&j, &all, error));
    if (!all.count)
        return TN_OK;
    TN_TRY(note_before(before, &known, error));
    if (known.count == MOST) /* new errors cannot be told from old ones */
        return TN_OK;
    l->known = &known;
    judging_init(&j, model, tn_opened_of(model)->format, l->how);
    judge(&j, l, error);
    l->known = NULL;
    return error->status;
}

enum tn_status tn_refuse_edited(const struct tn_model    *model,
                                const struct tn_model    *before,
                                const struct tn_validity *how,
                                struct tn_error          *error)
{
    struct listening l = { .how = how };
    char             what[sizeof error->what];

    if (!model->dialect)
        return TN_OK;
    TN_TRY(find_new_errors(model, before, &l, error));
    if (!l.count)
        find_bad_names(&l, model, before);
    if (!l.count)
        find_lost(&l, model, before);
    if (!l.count)
        find_lost_losses(&l, model, before);
    if (!l.count)
        find_lost_signatures(&l, model, before);
    if (refuse(&l, TN_INVALID, TN_REASON_INVALID_RESULT, error) == TN_OK)
        return TN_OK;
    snprintf(what, sizeof what, "the result would be invalid: %.700s",
             error->what);
    memcpy(error->what, what, sizeof what);
    return error->status;
}

/* ---- while something else is done --------------------------------------- */

bool tn_judging_is_worth_it(const struct tn_model *from)
{
    return from->wire.source && from->wire.source->map &&
           tn_model_node_count(from) >= MANY_NODES && tn_model_is_mapped(from);
}

void tn_judging_begin(struct tn_judging *j, const struct tn_model *model,
                      const struct tn_format   *format,
                      const struct tn_validity *how,
                      void (*also)(void *context), void *also_context)
{
    struct tn_report report = { .skip_data = true,
                                .workers   = how->workers,
                                .memory    = model->memory };

    judging_init(j, model, format, how);
    j->is_begun     = true;
    j->also         = also;
    j->also_context = also_context;
    tn_later_check_begin(&j->check, &report, model->memory, check_graph, j);
}

enum tn_status tn_judging_end_invalid(struct tn_judging *j,
                                      struct tn_error   *error)
{
    return j->is_begun ? judge_invalid(j, error) : TN_OK;
}

enum tn_status tn_judging_end_made(struct tn_judging *j, struct tn_error *error)
{
    return j->is_begun ? judge_made(j, error) : TN_OK;
}

void tn_judging_drop(struct tn_judging *j)
{
    struct tn_report unheard = { .is_stopped = true };
    struct tn_error  ignored = TN_ERROR_INIT;

    if (j->is_begun)
        tn_later_check_end(&j->check, &unheard, &ignored);
    j->is_begun = false;
}
