/*
 * convert_dialect.c - converts a model to another dialect
 *
 * The caller's rules are read, the path between the dialects is found, and the
 * passes run (convert_passes.c).
 *
 * All nets of a conversion live in one store, because later nets and the result
 * refer to values that rules made; it is released with the result.
 */
#include "engine/convert_dialect.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/interpreter.h"
#include "engine/read_file.h"
#include "engine/rulebook.h"
#include "io/meter.h"
#include "ir/dialect_facts.h"

/* ---- the caller's rules ------------------------------------------------- */

/* After blanks and comments, which protobuf's text has, too. */
static bool is_own_language(struct tn_bytes text)
{
    size_t at = 0;

    while (at < text.size && (text.data[at] == '#' || text.data[at] <= ' '))
        if (text.data[at++] == '#')
            while (at < text.size && text.data[at] != '\n')
                at++;
    return tn_bytes_starts_with(tn_bytes(text.data + at, text.size - at),
                                "rules ");
}

/* The first line of a file has its dialects; it is read twice, which costs less
 * than keeping the trees of two passes apart. */
static enum tn_status read_own(struct tn_conversion *c, const char *name,
                               struct tn_bytes text)
{
    struct tn_rule_text *own   = &c->own[c->own_count++];
    struct tn_lang_file  file  = { 0 };
    struct tn_arena     *arena = &c->store->model.arena;

    *own = (struct tn_rule_text){ .name           = name,
                                  .text           = text,
                                  .functions      = c->how->functions,
                                  .function_count = c->how->function_count };
    if (tn_lang_parse(&file, arena, name, text, c->error) == TN_OK) {
        own->from = (const char *)tn_bytes_dup(arena, file.from, c->error).data;
        own->to   = (const char *)tn_bytes_dup(arena, file.to, c->error).data;
        own->is_both_ways = file.is_both_ways;
    }
    tn_lang_done(&file);
    return c->error->status;
}

/* Rules for the mappers of the files, of each framework that they are for. */
static enum tn_status add_mapped(struct tn_conversion *c)
{
    struct tn_arena *arena = &c->store->model.arena;

    c->mapper_rules =
        tn_new(arena, struct tn_mapper_rules, TN_FRAMEWORK_COUNT, c->error);
    for (int i = 0; c->mapper_rules && i < TN_FRAMEWORK_COUNT; i++) {
        struct tn_mapper_rules *rules = &c->mapper_rules[i];
        uint32_t                count;
        rules->framework = i;
        if (!tn_dialect_facts(tn_framework_name(i))->is_mapped_from)
            continue;
        rules->mappers = &c->mapped->mappers;
        rules->ops     = &c->mapped->ops;
        rules->source  = &c->mapped->vocabs[i];
        TN_TRY(tn_mapper_rules_write(rules, &c->own[c->own_count], arena,
                                     &count, c->error));
        c->own_count += count > 0;
    }
    return c->error->status;
}

/* Files of mappers, and vocabularies for them. */
static enum tn_status read_mapped(struct tn_conversion *c,
                                  const char *const *files, uint32_t count)
{
    struct tn_interpreter_options what = { .files      = files,
                                           .file_count = count };

    TN_TRY(tn_interpreter_open(&c->mapped, &what, c->options, c->error));
    if (c->mapped->mappers.list.count)
        return add_mapped(c);
    tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                 "the file has no rules for converting models");
    tn_error_file(c->error, files[0]);
    return c->error->status;
}

static enum tn_status read_rules(struct tn_conversion *c)
{
    struct tn_arena *arena  = &c->store->model.arena;
    uint64_t         most   = c->how->rule_count;
    uint32_t         mapped = 0;

    if (c->own)
        return TN_OK;
    c->own =
        tn_new(arena, struct tn_rule_text, most + TN_FRAMEWORK_COUNT, c->error);
    const char **files = tn_new(arena, const char *, most, c->error);
    for (uint32_t i = 0; c->own && files && i < most; i++) {
        const char     *name = c->how->rules[i];
        struct tn_bytes text = { NULL, 0 };
        TN_TRY(tn_read_file(arena, name, "a file of rules", &text, c->error));
        if (is_own_language(text) || tn_text_ends_with(name, ".rules"))
            TN_TRY(read_own(c, name, text));
        else
            files[mapped++] = name;
    }
    if (mapped && !tn_failed(c->error))
        TN_TRY(read_mapped(c, files, mapped));
    return c->error->status;
}

/* ---- from a caller ------------------------------------------------------ */

static enum tn_status take_model(struct tn_conversion  *c,
                                 const struct tn_model *model)
{
    c->from = model;
    if (model->wants_graph)
        return TN_OK;
    TN_TRY(tn_opened_read_graph(&c->loaded, model, c->options, c->error));
    c->from = c->loaded;
    return TN_OK;
}

/* The caller's cache, which keeps what is read, or one for this conversion. */
static enum tn_status take_rule_cache(struct tn_conversion *c)
{
    if (!c->how->book) {
        c->cache = &c->own_cache;
        return tn_rule_cache_init(c->cache, &c->store->model.arena, c->error);
    }
    if (!c->how->book->is_ours)
        return tn_error_set(
            c->error, TN_INVALID, TN_NOWHERE,
            "the rulebook was opened with files; open one without files");
    c->cache = &c->how->book->cache;
    return TN_OK;
}

static void say_way(struct tn_conversion *c)
{
    size_t at = 0, size;

    if (!c->summary)
        return;
    size = sizeof c->summary->way;
    for (uint32_t i = 0; i <= c->path.steps && at < size; i++)
        at += (size_t)snprintf(c->summary->way + at, size - at, "%s%s",
                               i ? " -> " : "", c->path.dialects[i]);
}

/* Whether the caller's rules are for a step of the path. */
static bool has_own_rules(const struct tn_conversion   *c,
                          const struct tn_dialect_path *path)
{
    for (uint32_t i = 0; i < path->steps; i++)
        if (tn_rule_text_leads(c->own, c->own_count, path->dialects[i],
                               path->dialects[i + 1]))
            return true;
    return false;
}

static enum tn_status find_path(struct tn_conversion *c, const char *from,
                                const char *to)
{
    const char            *via = c->how->via ? c->how->via : to;
    struct tn_dialect_path rest;

    if (tn_dialect_facts(via)->id == TN_DIALECT_OTHER && c->how->via &&
        !c->own_count)
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                            "there is no dialect '%s' to convert through", via);
    TN_TRY(tn_dialect_path_find(&c->path, from, via, c->own, c->own_count,
                                c->error));
    TN_TRY(
        tn_dialect_path_find(&rest, via, to, c->own, c->own_count, c->error));
    tn_dialect_path_join(&c->path, &rest);
    if (c->how->via || c->path.steps != 1)
        return TN_OK;
    tn_dialect_path_detour(&c->detour, from, to, c->own, c->own_count);
    if (has_own_rules(c, &c->detour) && !has_own_rules(c, &c->path))
        tn_conversion_take_detour(c);
    return TN_OK;
}

void tn_conversion_take_detour(struct tn_conversion *c)
{
    c->path         = c->detour;
    c->detour.steps = 0;
    say_way(c);
}

/* A plan lists operators without a rule even if the graph has errors. If all
 * operators have one, errors stop the plan as they stop the conversion: they
 * explain more than the pass that would fail because of them. */
static enum tn_status judge_plan(const struct tn_conversion *c,
                                 const struct tn_error      *invalid)
{
    bool is_needed =
        c->path.steps || c->how->input_count || c->how->output_count;
    bool is_ended =
        c->error->status == TN_CANCELLED || c->error->status == TN_NO_MEMORY;

    if (is_needed && !is_ended && !c->summary->unmapped && tn_failed(invalid))
        *c->error = *invalid;
    return c->error->status;
}

/* Passes of a graph that soon changes its dialect wait for the check of the
 * source; those of a graph that stays wait only before it is laid out. */
static bool stays_here(const struct tn_conversion *c)
{
    return tn_is_same_dialect(tn_model_dialect(c->from), c->format->dialect) &&
           !c->how->via;
}

static void do_beside(void *context)
{
    struct tn_conversion *c = context;

    if (c->loaded) /* otherwise the result has names of its own */
        tn_op_names_find(&c->op_names, c->loaded);
}

/* Errors in the source stop a conversion, but not a plan. A large source is
 * checked while it is loaded. */
static enum tn_status judge_source(struct tn_conversion *c,
                                   struct tn_error      *invalid)
{
    c->judges_beside &= !c->plan && tn_judging_is_worth_it(c->from);
    if (c->judges_beside)
        tn_judging_begin(&c->judging, c->from, tn_opened_of(c->from)->format,
                         &c->validity, stays_here(c) ? do_beside : NULL, c);
    else
        tn_refuse_invalid(c->from, &c->validity, invalid);
    if (tn_failed(invalid) && (!c->plan || invalid->status != TN_MALFORMED))
        *c->error = *invalid;
    return c->error->status;
}

/* The check explains more than a pass that fails for the same reason. */
enum tn_status tn_conversion_end_source(struct tn_conversion *c)
{
    struct tn_error invalid = TN_ERROR_INIT;

    if (tn_judging_end_invalid(&c->judging, &invalid) != TN_OK)
        *c->error = invalid;
    return c->error->status;
}

static enum tn_status run_conversion(struct tn_conversion  *c,
                                     const struct tn_model *model)
{
    struct tn_options options = { 0 };
    struct tn_asking  asking;

    if (c->options)
        options = *c->options;
    /* One allocator for all models of a conversion: tables that one pass has
     * freed serve the next, whichever model they are of. */
    if (!options.allocator)
        options.allocator = &tn_opened_of(c->from)->memory.allocator;
    TN_TRY(tn_opened_new(&c->store, &options, c->error));
    tn_list_init(&c->origins, &c->store->memory,
                 sizeof(const struct tn_tensor *));
    tn_list_init(&c->touched, &c->store->memory, sizeof(struct tn_touched));
    tn_list_init(&c->files_taken, &c->store->memory, sizeof(struct tn_bytes));
    tn_list_init(&c->model_ops, &c->store->memory,
                 sizeof(const struct tn_net_op *));
    TN_TRY(take_rule_cache(c));
    TN_TRY(read_rules(c));
    TN_TRY(find_path(c, tn_model_dialect(model), c->format->dialect));
    say_way(c);
    tn_asking_begin(&asking, &options, "mapping", &c->store->memory);
    tn_conversion_run_passes(c);
    tn_asking_end(&asking);
    return c->error->status;
}

enum tn_status tn_conversion_make(struct tn_conversion  *c,
                                  const struct tn_model *model,
                                  struct tn_error       *error)
{
    static const struct tn_map_options defaults;
    struct tn_error                    invalid = TN_ERROR_INIT;

    c->error = error;
    c->how   = c->how ? c->how : &defaults;
    c->validity.is_forced |= c->how->force_invalid;
    c->validity.workers = c->options ? c->options->workers : 0;
    TN_TRY(take_model(c, model));
    TN_TRY(judge_source(c, &invalid));
    c->validity.allows_unknown = c->how->allow_count > 0;
    run_conversion(c, model);
    tn_conversion_end_source(c);
    if (!tn_failed(error) && c->judges_beside && c->model != c->from)
        tn_judging_begin(&c->judging, c->model, c->format, &c->validity, NULL,
                         NULL);
    return c->plan ? judge_plan(c, &invalid) : error->status;
}

void tn_conversion_done(struct tn_conversion *c)
{
    tn_judging_drop(&c->judging);
    tn_op_names_done(&c->op_names);
    if (c->store) {
        tn_rule_cache_done(&c->own_cache);
        tn_list_done(&c->origins);
        tn_list_done(&c->touched);
        tn_list_done(&c->files_taken);
        tn_list_done(&c->model_ops);
    }
    if (c->result)
        tn_opened_release(c->result);
    if (c->store)
        tn_opened_release(c->store);
    tn_model_close(c->loaded);
    tn_interpreter_close(c->mapped);
}

bool tn_conversion_is_needed(const struct tn_model           *model,
                             const struct tn_format          *format,
                             const struct tn_convert_options *convert)
{
    const char *from = tn_model_dialect(model);

    if (!format->dialect[0] || !from[0])
        return false;
    return !tn_is_same_dialect(format->dialect, from) ||
           (convert->map &&
            (convert->map->input_count || convert->map->output_count ||
             convert->map->shape_count || convert->map->simplifies ||
             convert->map->opset));
}
