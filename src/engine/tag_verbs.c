/* tag_verbs.c - tags for callers: <tenon/tag.h> over the container's format */
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "base/expect.h"
#include "base/given.h"
#include "base/sized.h"
#include "engine/convert_dialect.h"
#include "engine/opened.h"
#include "engine/target.h"
#include "format/registry.h"
#include "format/samediff/tag_edit.h"
#include "io/meter.h"
#include "ir/dialect_facts.h"

/* ---- looking ------------------------------------------------------------ */

struct look {
    struct tn_opened *opened;
    struct tn_asking  asking;
    struct tn_zip     zip;
    struct tn_tagged  box;
    bool              has_zip;
};

static enum tn_status open_look(struct look *look, const char *path,
                                const struct tn_options *options,
                                struct tn_error         *error)
{
    static const struct tn_zip_options lazy = { .is_lazy = true };

    *look = (struct look){ 0 };
    TN_TRY(tn_opened_files(&look->opened, path, options, error));
    tn_asking_begin(&look->asking, options, "reading", &look->opened->memory);
    struct tn_bundle *bundle = &look->opened->bundle;
    TN_TRY(tn_find_format(bundle, options ? options->from : NULL,
                          &look->opened->format, error));
    if (!look->opened->format->has_tags)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s files have no tags; containers (.samediff) do",
                            look->opened->format->name);
    if (!bundle->main)
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "%s is not a container; 'tenon tag add' copies its tags into one",
            look->opened->format->name);
    look->has_zip = true;
    tn_zip_open(&look->zip, bundle->main, bundle->memory, &lazy, error);
    if (!tn_failed(error))
        tn_tagged_begin(&look->box, &look->zip, bundle->memory, bundle, NULL,
                        error);
    return error->status;
}

static void close_look(struct look *look)
{
    if (look->box.memory)
        tn_tagged_end(&look->box);
    if (look->has_zip)
        tn_zip_close(&look->zip);
    if (look->opened)
        tn_asking_end(&look->asking);
    tn_opened_release(look->opened);
}

bool tn_tag_is_same(const char *left, const char *right)
{
    return tn_tag_equal(tn_text(left ? left : ""), tn_text(right ? right : ""));
}

const char *tn_tag_refusal(const char *tag)
{
    return tn_tag_new_refusal(tn_text(tag ? tag : ""));
}

enum tn_status tn_tag_list(const char *path, const struct tn_options *options,
                           bool wants_details, tn_on_tag *each, void *context,
                           struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    struct look look;

    if (open_look(&look, path, options, error) == TN_OK)
        tn_tagged_list(&look.box, wants_details, each, context, error);
    close_look(&look);
    return error->status;
}

enum tn_status tn_tag_diff(const char *path, const char *left,
                           const char *right, const struct tn_options *options,
                           tn_on_tag_change *each, void *context,
                           struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(left && right, "tag", error);
    struct look look;

    if (open_look(&look, path, options, error) == TN_OK)
        tn_tagged_diff(&look.box, tn_text(left), tn_text(right), each, context,
                       error);
    close_look(&look);
    return error->status;
}

/* ---- changing ----------------------------------------------------------- */

/* A budget, and what the format wants to know. */
struct change {
    struct tn_opened       *budget;
    struct tn_meter         meter, writing;
    struct tn_watch         watch;
    struct tn_write_options write;
    struct tn_tag_how       how;
    uint64_t                moved;
};

static void ignore_loss(void *context, uint64_t offset, const char *where,
                        const char *what)
{
    (void)context;
    (void)offset;
    (void)where;
    (void)what;
}

static enum tn_status begin_change(struct change               *c,
                                   const struct tn_tag_options *wanted,
                                   const struct tn_options     *options,
                                   struct tn_error             *error)
{
    static const struct tn_tag_options none;

    wanted = wanted ? wanted : &none;
    *c     = (struct change){ 0 };
    TN_TRY(tn_opened_new(&c->budget, options, error));
    tn_meter_init(&c->meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "comparing", 0);
    tn_meter_init(&c->writing, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "writing", 0);
    tn_meter_watch(&c->writing, &c->watch, &c->budget->memory);
    c->write = (struct tn_write_options){
        .meter         = &c->meter,
        .tensors_moved = &c->moved,
        .loss          = wanted->loss ? wanted->loss : ignore_loss,
        .loss_context  = wanted->loss_context,
    };
    c->how = (struct tn_tag_how){
        .append      = { .can_wait   = wanted->can_wait,
                         .is_durable = true,
                         .meter      = &c->writing },
        .can_replace = wanted->can_replace,
        .is_dry      = wanted->is_dry_run,
        .write       = &c->write,
        .meter       = &c->meter,
    };
    return TN_OK;
}

static void end_change(struct change *c)
{
    tn_watch_end(&c->watch);
    tn_opened_release(c->budget);
}

/* A container of this tag alone. */
static enum tn_status make_container(struct change *c, const char *path,
                                     const char            *tag,
                                     const struct tn_model *model,
                                     struct tn_tag_summary *summary,
                                     struct tn_error       *error)
{
    struct tn_target         target = { .path       = path,
                                        .is_dry_run = c->how.is_dry,
                                        .is_durable = true };
    struct tn_output        *output = NULL;
    struct tn_output_options how    = tn_target_options(&target);

    how.meter = &c->writing;
    if (tn_output_file(&output, model->memory, path, &how, error) == TN_OK &&
        tn_tagged_write_as(model, tn_text(tag), &c->write, output, summary,
                           error) == TN_OK &&
        tn_output_flush(output, error) == TN_OK && !c->how.is_dry)
        tn_output_commit(output, error);
    summary->size_after = tn_output_bytes(output);
    summary->new_bytes  = summary->size_after;
    tn_output_close(output);
    return error->status;
}

/* A tag has the dialect nd4j: a model of another one is converted first.  Call
 * tn_conversion_done() in either case. */
static enum tn_status convert_if_needed(struct tn_conversion   *c,
                                        const struct tn_model **model,
                                        struct tn_error        *error)
{
    const char *dialect = tn_model_dialect(*model);

    if (dialect[0] == '\0' || tn_is_same_dialect(dialect, c->format->dialect))
        return TN_OK;
    TN_TRY(tn_conversion_make(c, *model, error));
    *model = c->model;
    return TN_OK;
}

static enum tn_status add_tag(const char *path, const char *tag,
                              const struct tn_model       *model,
                              const struct tn_tag_options *add,
                              const struct tn_options     *options,
                              struct tn_tag_summary       *summary,
                              struct tn_error             *error)
{
    struct tn_watch watch; /* what the model reads */
    struct change   c;
    bool            tensors_only = tn_model_dialect(model)[0] == '\0';
    uint64_t        most = tn_opened_may_expand(tn_opened_of(model), options);

    TN_TRY(tn_opened_check_expansion(model, most, error));
    TN_TRY(begin_change(&c, add, options, error));
    tn_meter_watch(&c.writing, &watch, model->memory);
    bool exists = access(path, F_OK) == 0;
    if (!exists && tensors_only)
        tn_error_set(
            error, TN_INVALID, TN_NOWHERE,
            "the container does not exist yet: its first version needs "
            "a graph, and %s has only tensors",
            tn_model_format(model));
    else if (exists)
        tn_tagged_add(&c.budget->memory, path, tn_text(tag), model,
                      tensors_only, &c.how, summary, error);
    else
        make_container(&c, path, tag, model, summary, error);
    tn_watch_end(&watch);
    end_change(&c);
    return error->status;
}

enum tn_status tn_tag_add(const char *path, const char *tag,
                          const struct tn_model       *model,
                          const struct tn_tag_options *add,
                          const struct tn_options     *options,
                          struct tn_tag_summary       *summary,
                          struct tn_error             *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_GIVEN(tag, "tag", error);
    TN_EXPECT_GIVEN(model, "model", error);
    TN_EXPECT_PATH(path, error);
    TN_TAKE_TAG(add);
    const struct tn_map_options *how = add ? add->map : NULL;
    TN_TAKE_MAP(how);
    TN_TAKE_OPTIONS(options);
    struct tn_tag_summary unused;
    struct tn_conversion  conversion = { .how     = how,
                                         .options = options,
                                         .format  = &tn_format_samediff,
                                         .loss    = add ? add->loss : NULL,
                                         .loss_context =
                                            add ? add->loss_context : NULL };

    summary  = summary ? summary : &unused;
    *summary = (struct tn_tag_summary){ 0 };
    if (convert_if_needed(&conversion, &model, error) == TN_OK)
        add_tag(path, tag, model, add, options, summary, error);
    tn_conversion_done(&conversion);
    return error->status;
}

enum tn_status tn_tag_remove(const char *path, const char *tag,
                             const struct tn_tag_options *remove,
                             const struct tn_options     *options,
                             struct tn_tag_summary       *summary,
                             struct tn_error             *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_GIVEN(tag, "tag", error);
    TN_EXPECT_PATH(path, error);
    TN_TAKE_TAG(remove);
    TN_TAKE_OPTIONS(options);
    struct tn_tag_summary unused;
    struct change         c;

    summary  = summary ? summary : &unused;
    *summary = (struct tn_tag_summary){ 0 };
    TN_TRY(begin_change(&c, remove, options, error));
    tn_tagged_remove(&c.budget->memory, path, tn_text(tag), &c.how, summary,
                     error);
    end_change(&c);
    return error->status;
}

enum tn_status tn_tag_compact(const char                  *path,
                              const struct tn_tag_options *compact,
                              const struct tn_options     *options,
                              struct tn_tag_summary       *summary,
                              struct tn_error             *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_PATH(path, error);
    TN_TAKE_TAG(compact);
    TN_TAKE_OPTIONS(options);
    struct tn_tag_summary unused;
    struct change         c;

    summary  = summary ? summary : &unused;
    *summary = (struct tn_tag_summary){ 0 };
    TN_TRY(begin_change(&c, compact, options, error));
    tn_tagged_compact(&c.budget->memory, path, &c.how, summary, error);
    end_change(&c);
    return error->status;
}

/* ---- mending ------------------------------------------------------------ */

/* A container, or a zip without the entry that identifies a container; never
 * another file. */
static enum tn_status check_container(const char              *path,
                                      const struct tn_options *options,
                                      struct tn_error         *error)
{
    struct tn_error   own = TN_ERROR_INIT;
    struct tn_opened *opened;
    struct tn_probe   probe = { 0 };

    TN_TRY(tn_opened_files(&opened, path, options, error));
    if (tn_find_format(&opened->bundle, NULL, &opened->format, &own) == TN_OK) {
        if (!opened->format->has_tags || !opened->bundle.main)
            tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                         "only containers (.samediff) can be repaired, not %s",
                         opened->format->name);
    } else if (tn_probe_of(&opened->bundle, &probe, error) == TN_OK &&
               (probe.head.size < 4 || !opened->bundle.main ||
                memcmp(probe.head.data, "PK\3\4", 4) != 0)) {
        *error = own;
    }
    tn_opened_release(opened);
    return error->status;
}

enum tn_status tn_tag_repair(const char *path, const struct tn_options *options,
                             tn_on_finding *on_finding, void *context,
                             bool *is_changed, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_PATH(path, error);
    TN_TAKE_OPTIONS(options);
    struct tn_listener listener = { on_finding, context };
    struct tn_report   report   = { .each    = tn_listener_report,
                                    .context = &listener };
    struct change      c;

    TN_TRY(check_container(path, options, error));
    TN_TRY(begin_change(&c, NULL, options, error));
    tn_tagged_repair(&c.budget->memory, path, &c.how, &report, is_changed,
                     error);
    end_change(&c);
    return error->status;
}
