/*
 * print_diff.c - the report of a diff: parts in order, groups once
 *
 *   + only the right model has it       > another name
 *   - only the left one has it          ^ another place
 *   ~ changed; the lines below say how
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "failure.h"
#include "json.h"
#include "print.h"
#include "show.h"

enum { GROUPS_MOST = 20, FACETS_MOST = 8, KINDS = TN_DIFF_MOVED + 1 };

static const struct part_words {
    const char *title, *key;
} parts[TN_DIFF_PARTS] = {
    [TN_DIFF_INPUT]     = { "inputs", "input" },
    [TN_DIFF_OUTPUT]    = { "outputs", "output" },
    [TN_DIFF_VERSION]   = { "versions", "version" },
    [TN_DIFF_SIGNATURE] = { "signatures", "signature" },
    [TN_DIFF_GRAPH]     = { "functions and subgraphs", "graph" },
    [TN_DIFF_OPERATOR]  = { "operators", "operator" },
    [TN_DIFF_TENSOR]    = { "tensors", "tensor" },
    [TN_DIFF_METADATA]  = { "metadata", "metadata" },
};

static const struct kind_words {
    const char     *word;
    const char     *mark;
    enum cli_colour colour;
} kinds[KINDS] = {
    [TN_DIFF_ADDED]   = { "added", "+", CLI_GREEN },
    [TN_DIFF_REMOVED] = { "removed", "-", CLI_RED },
    [TN_DIFF_CHANGED] = { "changed", "~", CLI_YELLOW },
    [TN_DIFF_RENAMED] = { "renamed", ">", CLI_CYAN },
    [TN_DIFF_MOVED]   = { "moved", "^", CLI_CYAN },
};

/* ---- one change --------------------------------------------------------- */

/* The largest errors of a group. */
struct extremes {
    double absolute, relative;
    double least_share, most_share;
};

static double share_of(const struct tn_diff_change *change)
{
    return change->element_count
               ? (double)change->changed_count / (double)change->element_count
               : 0;
}

static struct extremes extremes_of(const struct tn_diff        *diff,
                                   const struct tn_diff_change *first,
                                   uint64_t                     index)
{
    struct extremes e    = { first->max_absolute, first->max_relative,
                             share_of(first), share_of(first) };
    uint32_t        left = first->group_count - 1;

    for (uint64_t i = index + 1; left > 0 && i < tn_diff_count(diff); i++) {
        const struct tn_diff_change *change = tn_diff_change_at(diff, i);
        if (change->group != index)
            continue;
        left--;
        e.absolute    = fmax(e.absolute, change->max_absolute);
        e.relative    = fmax(e.relative, change->max_relative);
        e.least_share = fmin(e.least_share, share_of(change));
        e.most_share  = fmax(e.most_share, share_of(change));
    }
    return e;
}

/* "12%", "0.3%", "all" */
static void add_share(struct cli_text *text, double share)
{
    if (share >= 1)
        cli_text_add(text, "all");
    else if (share < 0.0001)
        cli_text_add(text, "<0.01%");
    else
        cli_text_addf(text, share < 0.1 ? "%.2g%%" : "%.3g%%", share * 100);
}

/* Texts are compared as a whole; nothing says how far they are apart. */
static bool has_numbers(const struct tn_diff_change *c)
{
    const uint8_t *space = memchr(c->type.data, ' ', c->type.size);
    char           word[32];

    if (!space)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)(space - c->type.data),
             (const char *)c->type.data);
    return tn_dtype_bits(tn_dtype_find(word)) > 0;
}

static void add_values(struct cli_text *text, const struct tn_diff_change *c,
                       const struct extremes *e, uint32_t group_count)
{
    if (c->changed_count == 0)
        return;
    cli_text_add(text, "  ");
    if (!has_numbers(c)) {
        cli_text_add(text, "other text");
        return;
    }
    if (group_count == 1 && c->changed_count < 1000 && share_of(c) < 1) {
        cli_text_addf(text, "%" PRIu64 " of ", c->changed_count);
        cli_text_number(text, c->element_count);
    } else {
        add_share(text, e->least_share);
        if (e->most_share - e->least_share > 0.005) {
            cli_text_add(text, " to ");
            add_share(text, e->most_share);
        }
        cli_text_add(text, " of the elements");
    }
    if (e->absolute > 0)
        cli_text_addf(text, ", by up to %.3g (relative %.2g)", e->absolute,
                      e->relative);
    else
        cli_text_add(text, ": bits differ, values are equal");
}

/* Whether a number is part of a scope, as in "encoder/layer_3/add". */
static bool has_layers(struct tn_bytes name)
{
    bool has_digit = false;

    for (size_t i = 0; i < name.size; i++) {
        if (has_digit && (name.data[i] == '/' || name.data[i] == '.'))
            return true;
        has_digit |= name.data[i] >= '0' && name.data[i] <= '9';
    }
    return false;
}

/* The members of a group have names that differ in their numbers alone. */
static void add_count(struct cli_text *text, const struct tn_diff_change *c)
{
    if (c->group_count > 1)
        cli_text_addf(text,
                      has_layers(c->name) ? "  (in %" PRIu32 " layers)"
                                          : "  (%" PRIu32 " times)",
                      c->group_count);
}

static void add_facet(struct cli_text *text, const struct tn_diff_facet *facet)
{
    if (facet->left.size == 0) {
        cli_text_add(text, "added ");
        cli_text_safe(text, facet->right);
    } else if (facet->right.size == 0) {
        cli_text_safe(text, facet->left);
        cli_text_add(text, " removed");
    } else {
        cli_text_safe(text, facet->left);
        cli_text_add(text, " -> ");
        cli_text_safe(text, facet->right);
    }
}

static bool is_value(const struct tn_diff_change *change)
{
    return change->part == TN_DIFF_VERSION || change->part == TN_DIFF_METADATA;
}

/* What stands on the line itself: the type and the name. */
static void add_head(struct cli_text *text, const struct tn_diff_change *c)
{
    if (c->part == TN_DIFF_OPERATOR) {
        cli_text_safe(text, c->type);
        cli_text_add(text, "  ");
    }
    if (c->part == TN_DIFF_VERSION || c->part == TN_DIFF_GRAPH) {
        if (!(c->name.size == c->type.size && c->name.size &&
              memcmp(c->name.data, c->type.data, c->name.size) == 0)) {
            cli_text_safe(text, c->type);
            cli_text_add(text, " ");
        }
    }
    if (c->name.size)
        cli_text_safe(text, c->name);
    else
        cli_text_add(text, "(no name)");
    if (c->new_name.size) {
        cli_text_add(text, " -> ");
        cli_text_safe(text, c->new_name);
    }
}

static bool shows_type(const struct tn_diff_change *c)
{
    bool has_type = c->part == TN_DIFF_INPUT || c->part == TN_DIFF_OUTPUT ||
                    c->part == TN_DIFF_SIGNATURE || c->part == TN_DIFF_TENSOR;
    for (uint32_t i = 0; has_type && i < c->facet_count; i++)
        if (c->facets[i].name.size == 4 &&
            memcmp(c->facets[i].name.data, "type", 4) == 0)
            return false; /* the facet shows both */
    return has_type && c->type.size;
}

/* A single facet of an input, a tensor or a fact fits on the line. */
static bool is_one_line(const struct tn_diff_change *c)
{
    return c->facet_count == 1 && c->part != TN_DIFF_OPERATOR;
}

static void print_change(const struct tn_diff *diff, uint64_t index,
                         bool is_all)
{
    const struct tn_diff_change *c    = tn_diff_change_at(diff, index);
    struct cli_text              text = { 0 };

    printf("  ");
    cli_paint(stdout, kinds[c->kind].colour, kinds[c->kind].mark);
    cli_text_add(&text, " ");
    add_head(&text, c);
    if (shows_type(c)) {
        cli_text_add(&text, "  ");
        cli_text_safe(&text, c->type);
    }
    if (is_one_line(c)) {
        cli_text_add(&text, "  ");
        if (!is_value(c) && !(c->facets[0].name.size == 4 &&
                              memcmp(c->facets[0].name.data, "type", 4) == 0)) {
            cli_text_safe(&text, c->facets[0].name);
            cli_text_add(&text, " ");
        }
        if (is_value(c) && c->kind == TN_DIFF_ADDED)
            cli_text_safe(&text, c->facets[0].right);
        else if (is_value(c) && c->kind == TN_DIFF_REMOVED)
            cli_text_safe(&text, c->facets[0].left);
        else
            add_facet(&text, &c->facets[0]);
    }
    if (c->changed_count) {
        struct extremes e =
            is_all ? (struct extremes){ c->max_absolute, c->max_relative,
                                        share_of(c), share_of(c) }
                   : extremes_of(diff, c, index);
        add_values(&text, c, &e, is_all ? 1 : c->group_count);
    }
    if (!is_all)
        add_count(&text, c);
    cli_print_wrapped(stdout, CLI_PLAIN, 3, 6, &text);
    for (uint32_t i = 0; !is_one_line(c) && i < c->facet_count; i++) {
        cli_text_clear(&text);
        if (i == FACETS_MOST && c->facet_count > FACETS_MOST + 1) {
            cli_text_addf(&text, "      and %" PRIu32 " more",
                          c->facet_count - i);
            cli_print_wrapped(stdout, CLI_DIM, 0, 6, &text);
            break;
        }
        cli_text_add(&text, "      ");
        cli_text_safe(&text, c->facets[i].name);
        cli_text_add(&text, ": ");
        add_facet(&text, &c->facets[i]);
        cli_print_wrapped(stdout, CLI_PLAIN, 0, 8, &text);
    }
    cli_text_done(&text);
}

/* ---- parts -------------------------------------------------------------- */

static void count_kinds(const struct tn_diff *diff, enum tn_diff_part part,
                        uint64_t counts[KINDS])
{
    memset(counts, 0, KINDS * sizeof counts[0]);
    for (uint64_t i = 0; i < tn_diff_count(diff); i++)
        if (tn_diff_change_at(diff, i)->part == part)
            counts[tn_diff_change_at(diff, i)->kind]++;
}

static uint64_t sum_of(const uint64_t counts[KINDS])
{
    uint64_t sum = 0;

    for (int kind = 0; kind < KINDS; kind++)
        sum += counts[kind];
    return sum;
}

/* "3 added, 1 changed, 110 the same" */
static void add_counts(struct cli_text *text, const uint64_t counts[KINDS],
                       uint64_t same, bool has_same)
{
    bool is_first = true;

    for (int kind = 0; kind < KINDS; kind++) {
        if (counts[kind] == 0)
            continue;
        cli_text_add(text, is_first ? "" : ", ");
        cli_text_number(text, counts[kind]);
        cli_text_addf(text, " %s", kinds[kind].word);
        is_first = false;
    }
    if (!has_same)
        return;
    cli_text_add(text, is_first ? "" : ", ");
    cli_text_number(text, same);
    cli_text_add(text, " the same");
}

static bool has_same_count(const struct tn_diff *diff, enum tn_diff_part part,
                           uint64_t *same)
{
    struct tn_diff_summary summary = tn_diff_summarize(diff);

    *same = part == TN_DIFF_OPERATOR ? summary.same_ops : summary.same_tensors;
    return (part == TN_DIFF_OPERATOR && summary.has_ops) ||
           part == TN_DIFF_TENSOR;
}

static void print_title(const struct tn_diff *diff, enum tn_diff_part part,
                        const uint64_t counts[KINDS])
{
    struct cli_text text = { 0 };
    uint64_t        same;
    bool            has_same = has_same_count(diff, part, &same);

    cli_paint(stdout, CLI_BOLD, parts[part].title);
    cli_text_add(&text, ": ");
    add_counts(&text, counts, same, has_same);
    cli_print_wrapped(stdout, CLI_PLAIN, (unsigned)strlen(parts[part].title), 4,
                      &text);
    cli_text_done(&text);
}

/* Moved operators are only counted, unless all is asked for. */
static bool is_shown(const struct cli_diff_look  *look,
                     const struct tn_diff_change *c, uint64_t index)
{
    if (look->is_all)
        return true;
    return c->group == index &&
           !(c->part == TN_DIFF_OPERATOR && c->kind == TN_DIFF_MOVED);
}

/* Lines of one part that were printed, or left out because there are many. */
struct lines {
    uint64_t shown, hidden;
};

/* The changes of the kinds between `first` and `last`. */
static void print_kinds(const struct cli_diff_look *look,
                        const struct tn_diff *diff, enum tn_diff_part part,
                        int first, int last, struct lines *lines)
{
    for (uint64_t i = 0; i < tn_diff_count(diff); i++) {
        const struct tn_diff_change *c    = tn_diff_change_at(diff, i);
        int                          kind = (int)c->kind;
        if (c->part != part || kind < first || kind > last)
            continue;
        if (!is_shown(look, c, i)) {
            lines->hidden += kind == TN_DIFF_MOVED && part == TN_DIFF_OPERATOR;
            continue;
        }
        if (!look->is_all && lines->shown == GROUPS_MOST) {
            lines->hidden++;
            continue;
        }
        print_change(diff, i, look->is_all);
        lines->shown++;
    }
}

/* Operators in the order of the graph; of tensors first those that both models
 * have. */
static void print_part(const struct cli_diff_look *look,
                       const struct tn_diff *diff, enum tn_diff_part part)
{
    uint64_t     counts[KINDS];
    struct lines lines = { 0, 0 };

    count_kinds(diff, part, counts);
    if (sum_of(counts) == 0)
        return;
    print_title(diff, part, counts);
    if (part == TN_DIFF_TENSOR) {
        print_kinds(look, diff, part, TN_DIFF_CHANGED, TN_DIFF_MOVED, &lines);
        print_kinds(look, diff, part, TN_DIFF_ADDED, TN_DIFF_REMOVED, &lines);
    } else {
        print_kinds(look, diff, part, 0, KINDS - 1, &lines);
    }
    uint64_t hidden = lines.hidden;
    if (hidden > 0) {
        struct cli_text text = { 0 };
        cli_text_add(&text, "  ");
        cli_show_plural(&text, hidden, "more line; --all shows it",
                        "more lines; --all shows them");
        cli_print_wrapped(stdout, CLI_DIM, 0, 2, &text);
        cli_text_done(&text);
    }
}

/* ---- the whole ---------------------------------------------------------- */

static void print_model(const char *mark, const char *name,
                        const struct tn_model *model)
{
    struct cli_text text = { 0 };

    cli_text_addf(&text, "%s ", mark);
    cli_text_safe(&text, cli_bytes(name));
    cli_text_addf(&text, "  %s, ", tn_model_title(model));
    if (tn_model_node_count(model) > 0) {
        cli_show_plural(&text, tn_model_node_count(model), "operator",
                        "operators");
        cli_text_add(&text, ", ");
    }
    cli_show_plural(&text, tn_model_tensor_count(model), "tensor", "tensors");
    cli_text_add(&text, ", ");
    cli_text_bytes(&text, tn_model_file_size(model));
    cli_print_wrapped(stdout, CLI_PLAIN, 0, 4, &text);
    cli_text_done(&text);
}

static void print_stat(const struct cli_diff_look *look,
                       const struct tn_diff       *diff)
{
    for (int part = 0; part < TN_DIFF_PARTS; part++) {
        uint64_t counts[KINDS];
        count_kinds(diff, (enum tn_diff_part)part, counts);
        if (sum_of(counts) > 0 &&
            (!look->tensors_only || part == TN_DIFF_TENSOR))
            print_title(diff, (enum tn_diff_part)part, counts);
    }
}

static void print_report(const struct cli_diff_look *look,
                         const struct tn_diff *diff, const struct tn_model *a,
                         const struct tn_model *b)
{
    print_model("---", look->names[0], a);
    print_model("+++", look->names[1], b);
    if (look->is_stat) {
        print_stat(look, diff);
        return;
    }
    if (!tn_diff_summarize(diff).has_ops && tn_model_node_count(a) > 0 &&
        tn_model_node_count(b) > 0 && !look->tensors_only)
        printf("operators are not compared: the two have operators of "
               "different frameworks\n");
    for (int part = 0; part < TN_DIFF_PARTS; part++)
        if (!look->tensors_only || part == TN_DIFF_TENSOR)
            print_part(look, diff, (enum tn_diff_part)part);
}

/* ---- JSON --------------------------------------------------------------- */

static void put_double(struct cli_json *json, const char *key, double value)
{
    char text[40];

    cli_json_key(json, key);
    if (isinf(value)) {
        cli_json_string(json, "Infinity");
        return;
    }
    snprintf(text, sizeof text, "%.9g", value);
    cli_json_literal(json, cli_bytes(text));
}

static void put_optional(struct cli_json *json, const char *key,
                         struct tn_bytes text)
{
    if (text.size > 0)
        cli_json_put_bytes(json, key, text);
}

static void put_change(struct cli_json *json, const struct tn_diff_change *c)
{
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "part", parts[c->part].key);
    cli_json_put_string(json, "kind", kinds[c->kind].word);
    cli_json_put_bytes(json, "name", c->name);
    put_optional(json, "new_name", c->new_name);
    put_optional(json, "type", c->type);
    if (c->group_count > 1)
        cli_json_put_number(json, "group", c->group);
    if (c->facet_count > 0) {
        cli_json_key(json, "changes");
        cli_json_open(json, '[');
        for (uint32_t i = 0; i < c->facet_count; i++) {
            cli_json_open(json, '{');
            cli_json_put_bytes(json, "what", c->facets[i].name);
            put_optional(json, "left", c->facets[i].left);
            put_optional(json, "right", c->facets[i].right);
            cli_json_close(json, '}');
        }
        cli_json_close(json, ']');
    }
    if (c->changed_count > 0) {
        cli_json_put_number(json, "elements", c->element_count);
        cli_json_put_number(json, "changed_elements", c->changed_count);
        put_double(json, "max_absolute", c->max_absolute);
        put_double(json, "max_relative", c->max_relative);
    }
    cli_json_close(json, '}');
}

static void put_side(struct cli_json *json, const char *key, const char *name,
                     const struct tn_model *model)
{
    cli_json_key(json, key);
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "path", name);
    cli_json_put_string(json, "format", tn_model_format(model));
    cli_json_put_number(json, "operators", tn_model_node_count(model));
    cli_json_put_number(json, "tensors", tn_model_tensor_count(model));
    cli_json_close(json, '}');
}

static void put_counts(struct cli_json *json, const struct tn_diff *diff)
{
    struct tn_diff_summary summary = tn_diff_summarize(diff);

    cli_json_key(json, "counts");
    cli_json_open(json, '{');
    for (int part = 0; part < TN_DIFF_PARTS; part++) {
        uint64_t counts[KINDS];
        count_kinds(diff, (enum tn_diff_part)part, counts);
        if (sum_of(counts) == 0)
            continue;
        cli_json_key(json, parts[part].key);
        cli_json_open_flat(json, '{');
        for (int kind = 0; kind < KINDS; kind++)
            if (counts[kind] > 0)
                cli_json_put_number(json, kinds[kind].word, counts[kind]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
    cli_json_put_number(json, "same_operators", summary.same_ops);
    cli_json_put_number(json, "same_tensors", summary.same_tensors);
}

static void put_report(const struct cli_diff_look *look,
                       const struct tn_diff *diff, const struct tn_model *a,
                       const struct tn_model *b)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.diff/1");
    put_side(&json, "left", look->names[0], a);
    put_side(&json, "right", look->names[1], b);
    cli_json_put_bool(&json, "is_same", tn_diff_count(diff) == 0);
    cli_json_put_bool(&json, "compares_operators",
                      tn_diff_summarize(diff).has_ops);
    put_counts(&json, diff);
    if (!look->is_stat) {
        cli_json_key(&json, "changes");
        cli_json_open(&json, '[');
        for (uint64_t i = 0; i < tn_diff_count(diff); i++) {
            const struct tn_diff_change *c = tn_diff_change_at(diff, i);
            if (!look->tensors_only || c->part == TN_DIFF_TENSOR)
                put_change(&json, c);
        }
        cli_json_close(&json, ']');
    }
    cli_json_end(&json);
}

static bool has_tensor_change(const struct tn_diff *diff)
{
    uint64_t counts[KINDS];

    count_kinds(diff, TN_DIFF_TENSOR, counts);
    return sum_of(counts) > 0;
}

int cli_print_diff(const struct cli_diff_look *look, const struct tn_diff *diff,
                   const struct tn_model *left, const struct tn_model *right)
{
    bool is_same = look->tensors_only ? !has_tensor_change(diff)
                                      : tn_diff_count(diff) == 0;

    if (look->is_json)
        put_report(look, diff, left, right);
    else if (!is_same)
        print_report(look, diff, left, right);
    return is_same ? 0 : CLI_NO;
}
