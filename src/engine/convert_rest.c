/* convert_rest.c - what a model has besides its graph and its tensors */
#include "engine/convert_rest.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "engine/convert_valid.h"
#include "engine/opened.h"
#include "engine/texts_now.h"
#include "format/text_model.h"

/* ---- comments ----------------------------------------------------------- */

/* Up to where lines begin with '#' or hold nothing. */
static struct tn_bytes leading_comments(struct tn_bytes head)
{
    size_t end = 0, at = 0;

    for (; at < head.size; at++) {
        while (at < head.size &&
               (head.data[at] == ' ' || head.data[at] == '\t' ||
                head.data[at] == '\r'))
            at++;
        bool is_comment = at < head.size && head.data[at] == '#';
        if (!is_comment && at < head.size && head.data[at] != '\n')
            return tn_bytes(head.data, end);
        while (at < head.size && head.data[at] != '\n')
            at++;
        if (is_comment)
            end = at;
    }
    return tn_bytes(head.data, end);
}

enum tn_status tn_convert_comments(const struct tn_model *model,
                                   struct tn_about       *about,
                                   struct tn_error       *error)
{
    const struct tn_opened *opened = tn_opened_of(model);
    struct tn_source       *main   = opened->bundle.main;
    struct tn_bytes         word;

    if (!main || !opened->format->message)
        return TN_OK;
    uint64_t       begin = tn_text_begin(main, error);
    size_t         size  = (size_t)tn_min(main->size, begin + TN_TEXT_HEAD);
    const uint8_t *head  = size ? tn_source_pin(main, 0, size, error) : NULL;
    if (head && tn_is_text(tn_bytes(head, size), &word))
        tn_about_add_text(about, "comment",
                          leading_comments(tn_bytes(head, size)));
    return error->status;
}

static void lose_others(const struct tn_about *about, struct tn_losses *losses)
{
    char what[120];

    snprintf(what, sizeof what,
             "left behind: %" PRIu64 " text%s about the model: no UTF-8, or "
             "a key for the second time",
             about->others, about->others == 1 ? "" : "s");
    tn_losses_add(losses, TN_NOWHERE, "", what);
}

void tn_convert_lose_comments(const struct tn_about *about,
                              struct tn_losses      *losses)
{
    enum { LONGEST = 80 };
    struct tn_bytes text = tn_about_find(about, "comment");
    char            what[200];

    if (about->others) /* only comments were added yet */
        lose_others(about, losses);
    if (!text.size)
        return;
    snprintf(what, sizeof what,
             "left behind: comments at the beginning of the text: %.*s%s",
             (int)(text.size < LONGEST ? text.size : LONGEST),
             (const char *)text.data, text.size > LONGEST ? "..." : "");
    for (char *c = what; *c; c++)
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    tn_losses_add(losses, TN_NOWHERE, "", what);
}

/* ---- texts and fields --------------------------------------------------- */

/* "left behind: texts about the model: author, licence, onnx.doc_string" */
static void lose_about(const struct tn_about *about, struct tn_losses *losses)
{
    enum { LONGEST = 400 };
    struct tn_buffer what;

    tn_buffer_init(&what, about->arena->memory, losses->error);
    tn_buffer_text(&what, "left behind: texts about the model: ");
    for (uint64_t i = 0; i < about->items.count; i++) {
        struct tn_bytes key = tn_list_at(&about->items, struct tn_fact, i)->key;
        if (what.size > LONGEST) {
            tn_buffer_format(&what, ", and %" PRIu64 " more",
                             about->items.count - i);
            break;
        }
        tn_buffer_format(&what, "%s%.*s", i ? ", " : "", TN_FMT(key));
    }
    if (!tn_failed(losses->error))
        tn_losses_add(losses, TN_NOWHERE, "", tn_buffer_string(&what));
    tn_buffer_done(&what);
}

/* Reports every field of the file's message that is not used. */
static enum tn_status find_fields(const struct tn_model  *model,
                                  const struct tn_format *to, tn_on_loss *loss,
                                  void *context, struct tn_error *error)
{
    const struct tn_format *from = tn_opened_of(model)->format;
    struct tn_rest          rest = { .schema       = from->schema,
                                     .message      = from->message,
                                     .taken        = to->dialect[0] == '\0'
                                                         ? from->taken_by_tensors
                                                         : from->taken_by_graph,
                                     .path         = "",
                                     .loss         = loss,
                                     .loss_context = context };

    if (!rest.taken)
        return TN_OK;
    if (!rest.message) /* PIR: what it was read as */
        rest.message = rest.taken[0].message;
    return tn_rest_report(&rest, model->wire, model->memory, error);
}

/* ---- ahead -------------------------------------------------------------- */

struct tn_rest_loss {
    uint64_t    offset;
    const char *where, *what;
};

void tn_rest_ahead_init(struct tn_rest_ahead   *ahead,
                        const struct tn_model  *model,
                        const struct tn_format *to)
{
    *ahead = (struct tn_rest_ahead){ .model = model,
                                     .to    = to,
                                     .error = TN_ERROR_INIT };
    tn_arena_init(&ahead->arena, model->memory);
    tn_about_init(&ahead->about, &ahead->arena, &ahead->error);
    tn_list_init(&ahead->found, model->memory, sizeof(struct tn_rest_loss));
}

void tn_rest_ahead_done(struct tn_rest_ahead *ahead)
{
    tn_list_done(&ahead->found);
    tn_about_done(&ahead->about);
    tn_arena_done(&ahead->arena);
}

static void keep_loss(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    struct tn_rest_ahead *ahead = context;
    struct tn_rest_loss   loss  = {
           offset, tn_text_dup(&ahead->arena, where, &ahead->error),
           tn_text_dup(&ahead->arena, what, &ahead->error)
    };
    struct tn_rest_loss *kept =
        tn_list_push(&ahead->found, struct tn_rest_loss, &ahead->error);

    if (kept)
        *kept = loss;
}

/* One slot is the work; a second one is needed for a second thread to be
 * started. */
static void run(void *context, uint32_t slot)
{
    struct tn_rest_ahead *ahead = context;

    if (slot != 0)
        return;
    tn_describe_now(ahead->model, &ahead->about);
    if (!tn_failed(&ahead->error))
        find_fields(ahead->model, ahead->to, keep_loss, ahead, &ahead->error);
    ahead->is_done = !tn_failed(&ahead->error);
}

void tn_rest_ahead_begin(struct tn_rest_ahead *ahead, unsigned workers)
{
    const struct tn_model *model = ahead->model;

    workers = tn_pipeline_workers(workers);
    if (workers < 2 || !tn_judging_is_worth_it(model))
        return;
    ahead->is_begun = true;
    tn_pipeline_open(&ahead->pipeline, 2, 2, run, ahead);
    tn_pipeline_watches(&ahead->pipeline, model->memory);
    tn_pipeline_add(&ahead->pipeline);
    tn_pipeline_add(&ahead->pipeline);
}

void tn_rest_ahead_end(struct tn_rest_ahead *ahead)
{
    if (!ahead->is_begun)
        return;
    while (tn_pipeline_count(&ahead->pipeline))
        tn_pipeline_take(&ahead->pipeline);
    tn_pipeline_close(&ahead->pipeline);
    ahead->is_begun = false;
}

/* Work that failed ahead of time is done again in its turn, so that its error
 * is reported there. */
static void describe(const struct tn_model *model, struct tn_about *about,
                     const struct tn_rest_ahead *ahead)
{
    if (!ahead || !ahead->is_done) {
        tn_describe_now(model, about);
        return;
    }
    for (uint64_t i = 0; i < ahead->about.items.count; i++) {
        const struct tn_fact *item =
            tn_list_at(&ahead->about.items, struct tn_fact, i);
        tn_about_add(about, item->key, item->value);
    }
    about->others += ahead->about.others;
}

static enum tn_status tell_fields(const struct tn_model      *model,
                                  const struct tn_format     *to,
                                  struct tn_losses           *losses,
                                  const struct tn_rest_ahead *ahead)
{
    if (!ahead || !ahead->is_done)
        return find_fields(model, to, tn_losses_add, losses, losses->error);
    for (uint64_t i = 0; i < ahead->found.count; i++) {
        const struct tn_rest_loss *loss =
            tn_list_at(&ahead->found, struct tn_rest_loss, i);
        tn_losses_add(losses, loss->offset, loss->where, loss->what);
    }
    return losses->error->status;
}

static void lose_levels(const struct tn_model *model, struct tn_losses *losses)
{
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        char                    where[200];
        if (!tensor->levels)
            continue;
        snprintf(where, sizeof where, "%.*s", TN_FMT(tn_tensor_name(tensor)));
        tn_losses_add(losses, TN_NOWHERE, where,
                      "left behind: where its sequences begin (LoD)");
    }
}

enum tn_status tn_convert_rest(const struct tn_model  *model,
                               const struct tn_format *to,
                               struct tn_about *about, struct tn_losses *losses,
                               const struct tn_rest_ahead *ahead)
{
    const struct tn_format *from    = tn_opened_of(model)->format;
    bool                    is_bare = to->dialect[0] == '\0';
    struct tn_write_options how     = { .loss         = tn_losses_add,
                                        .loss_context = losses };

    describe(model, about, ahead);
    if (tn_failed(losses->error))
        return losses->error->status;
    if (about->items.count && !to->has_about)
        lose_about(about, losses);
    if (about->others)
        lose_others(about, losses);
    if (!to->has_levels)
        lose_levels(model, losses);
    TN_TRY(tell_fields(model, to, losses, ahead));
    if (from->report_rest)
        TN_TRY(from->report_rest(model, &how, is_bare, losses->error));
    return losses->error->status;
}
