/* view_model.c - tenon view: a model as a picture, in one file */
#include <tenon/version.h>
#include <tenon/view.h>

#include <stdio.h>

#include "base/given.h"
#include "base/sized.h"
#include "engine/edit_known.h"
#include "engine/view_model.h"
#include "engine/read_file.h"
#include "engine/target.h"
#include "io/meter.h"
#include "io/path.h"
#include "io/remote_url.h"
#include "view/picture.h"
#include "view/view_nodes.h"
#include "view/view_numbers.h"
#include "view/view_svg.h"

struct viewing {
    const struct tn_model           *model;
    const struct tn_view_options    *view;
    const struct tn_options         *options;
    const struct tn_view_difference *difference; /* NULL: none               */
    struct tn_view_summary          *summary;
    struct tn_picture                picture;
    struct tn_view_about             about;
    struct tn_view_page *page; /* begun early; NULL: it is not       */
    bool                 is_svg;
};

const char *tn_view_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash && slash[1])
        return slash + 1;
    return path;
}

static enum tn_status fill(void *context, struct tn_sink *to,
                           struct tn_error *error)
{
    struct viewing *v = context;

    if (v->is_svg)
        return tn_view_write_svg(&v->picture, &v->about, to, error);
    if (v->page)
        return tn_view_page_write(v->page, to, error);
    return tn_view_write_html(&v->picture, &v->about, to, error);
}

static int keep_statistics(void *context, uint64_t index,
                           const struct tn_statistics *statistics)
{
    struct tn_statistics *all = context;

    all[index] = *statistics;
    return 0;
}

/* All tensors, in one pass over their bytes. */
static enum tn_status read_statistics(struct viewing *v, struct tn_error *error)
{
    uint64_t              count = v->model->tensors.count;
    struct tn_arena      *arena = &v->picture.arena;
    struct tn_statistics *all =
        tn_new(arena, struct tn_statistics, count + 1, error);
    const struct tn_tensor **tensors =
        tn_new(arena, const struct tn_tensor *, count + 1, error);

    if (tn_failed(error))
        return error->status;
    for (uint64_t i = 0; i < count; i++)
        tensors[i] = tn_model_tensor(v->model, i);
    v->picture.statistics = all;
    return tn_statistics_compute(v->model, tensors, count, v->options,
                                 keep_statistics, all, error);
}

static enum tn_status read_numbers(struct viewing *v, struct tn_error *error)
{
    struct tn_bytes text;

    TN_TRY(tn_read_file(&v->picture.arena, v->view->data,
                        "a list of names and numbers", &text, error));
    tn_view_read_numbers(&v->picture, text);
    if (tn_failed(error) && !error->file[0])
        snprintf(error->file, sizeof error->file, "%s", v->view->data);
    return error->status;
}

/* Larger graphs are not inferred: it would take longer than everything else. */
#define MOST_INFERRED 5000

/* Types and shapes that inference finds for values of the main graph that the
 * file does not declare, for the panel.  A graph that cannot be inferred is
 * shown without. */
static void infer_types(struct viewing *v)
{
    const struct tn_model *m     = v->model;
    struct tn_error        quiet = TN_ERROR_INIT;
    struct tn_known        known = { 0 };
    struct tn_buffer       text;

    if (!m->dialect || v->is_svg || m->ops.count > MOST_INFERRED)
        return;
    tn_buffer_init(&text, m->memory, &quiet);
    if (tn_known_open(&known, m->memory, m, &quiet) == TN_OK &&
        tn_known_infer(&known) == TN_OK)
        for (uint32_t i = 0; i < m->values.count && !tn_failed(&quiet); i++) {
            const struct tn_value *row = tn_model_value_at(m, i);
            if (row->graph != 0 || v->picture.types[i])
                continue;
            struct tn_io io = tn_known_io(&known, tn_model_value_name(m, i),
                                          &known.arena, &quiet);
            tn_buffer_clear(&text);
            tn_view_type_text(&text, &io);
            v->picture.types[i] =
                tn_picture_string(&v->picture, tn_buffer_bytes(&text));
        }
    tn_known_close(&known);
    tn_buffer_done(&text);
}

/* A large page is written as soon as its nodes are known, because nothing is
 * inferred about them later. */
static enum tn_status begin_page(struct viewing *v, struct tn_error *error)
{
    if (v->is_svg || (v->view && v->view->stats) ||
        v->model->ops.count <= MOST_INFERRED)
        return TN_OK;
    v->page             = tn_view_page_open(&v->picture, &v->about, error);
    v->picture.hear     = tn_view_page_hear;
    v->picture.listener = v->page;
    return error->status;
}

static enum tn_status draw(struct viewing *v, struct tn_error *error)
{
    TN_TRY(begin_page(v, error));
    TN_TRY(tn_picture_draw(&v->picture));
    infer_types(v);
    if (v->view && v->view->data)
        TN_TRY(read_numbers(v, error));
    if (v->view && v->view->stats && !v->is_svg)
        TN_TRY(read_statistics(v, error));
    return TN_OK;
}

static enum tn_status draw_and_write(struct viewing         *v,
                                     const struct tn_target *target,
                                     struct tn_error        *error)
{
    struct tn_view_summary  ignored = { 0 };
    struct tn_view_summary *summary = v->summary ? v->summary : &ignored;
    struct tn_asking        asking;

    tn_asking_begin(&asking, v->options, "drawing", v->model->memory);
    tn_picture_init(&v->picture, v->model, v->model->memory, error);
    if (v->difference) {
        v->picture.op_states     = v->difference->states;
        v->picture.op_changes    = v->difference->changes;
        v->picture.model_changes = v->difference->of_model;
    }
    if (draw(v, error) == TN_OK) {
        *summary = (struct tn_view_summary){
            .nodes        = v->picture.nodes.count,
            .blocks       = v->picture.blocks.count,
            .shown        = v->picture.shown,
            .numbers_used = v->picture.number_count,
        };
        snprintf(summary->form, sizeof summary->form, "%s",
                 v->is_svg ? "svg" : "html");
        tn_target_write(target, v->options, 0, v->model->memory, fill, v,
                        &summary->bytes_written, error);
    }
    tn_view_page_close(v->page);
    tn_picture_done(&v->picture);
    tn_asking_end(&asking);
    return error->status;
}

static enum tn_status check_suffix(const char *suffix, struct tn_error *error)
{
    if (strcmp(suffix, ".html") == 0 || strcmp(suffix, ".htm") == 0)
        return TN_OK;
    return tn_error_because(error, TN_UNSUPPORTED,
                            TN_REASON_UNKNOWN_TARGET_FORMAT, TN_NOWHERE,
                            "cannot draw '%.100s': names of pictures end in "
                            ".html or .svg",
                            suffix);
}

/* A name without a suffix, such as "-", is a page. */
static enum tn_status choose_form(const struct tn_view_options *view,
                                  const char *path, bool *is_svg,
                                  struct tn_error *error)
{
    const char *slash  = strrchr(path, '/');
    const char *suffix = strrchr(slash ? slash + 1 : path, '.');

    *is_svg = tn_text_ends_with(path, ".svg");
    if (view && view->form != TN_VIEW_AUTO)
        *is_svg = view->form == TN_VIEW_SVG;
    else if (suffix && !*is_svg && !tn_url_is(path))
        return check_suffix(suffix, error);
    return TN_OK;
}

enum tn_status tn_view(const struct tn_model        *model,
                       const struct tn_view_options *view,
                       const struct tn_target       *target,
                       const struct tn_options      *options,
                       struct tn_view_summary *summary, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    TN_TAKE_VIEW(view);
    TN_EXPECT_GIVEN(model, "model", error);
    struct tn_model *loaded = NULL;
    struct viewing v = { .view = view, .options = options, .summary = summary };

    if (!target || !target->path)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "no file to write the picture to");
    TN_TRY(choose_form(view, target->path, &v.is_svg, error));
    TN_TRY(tn_target_check_bundle(target, &tn_opened_of(model)->bundle,
                                  model->memory, error));
    if (!model->wants_graph)
        TN_TRY(tn_opened_read_graph(&loaded, model, options, error));
    v.model = loaded ? loaded : model;
    v.about = (struct tn_view_about){
        .name    = tn_view_name(tn_model_path(model)),
        .version = TN_VERSION_STRING,
        .workers = options ? options->workers : 0,
    };
    draw_and_write(&v, target, error);
    tn_model_close(loaded);
    return error->status;
}

enum tn_status tn_view_states(const struct tn_model           *model,
                              const struct tn_view_difference *difference,
                              const char *name, const struct tn_target *target,
                              const struct tn_options *options,
                              struct tn_view_summary  *summary,
                              struct tn_error         *error)
{
    struct viewing v = { .model      = model,
                         .difference = difference,
                         .options    = options,
                         .summary    = summary,
                         .is_svg     = tn_text_ends_with(target->path, ".svg"),
                         .about      = {
                                  .name    = name,
                                  .version = TN_VERSION_STRING,
                                  .workers = options ? options->workers : 0,
                         } };

    return draw_and_write(&v, target, error);
}
