/* info.c - tenon info: what a model file is, on one screen */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/model.h>
#include <tenon/tenon.h>

#include "failure.h"
#include "json.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

enum { CLI_ROLE_COUNT = TN_ROLE_STATE + 1 };

struct cli_sum {
    uint64_t tensors, elements, bytes;
};

/* Tensors of one role and one type. */
struct cli_sum_group {
    enum tn_role   role;
    enum tn_dtype  dtype;
    struct cli_sum sum;
};

struct cli_sums {
    struct cli_sum parameters;
    uint32_t group_count; /* that occur: parameters first, most bytes first */
    struct cli_sum_group groups[CLI_ROLE_COUNT * TN_DTYPE_COUNT];
};

/* ---- how many parameters a model has, and what its tensors take --------- */

static void add_to(struct cli_sum *sum, const struct tn_tensor *tensor)
{
    sum->tensors++;
    sum->elements = cli_add(sum->elements, tn_tensor_count(tensor));
    sum->bytes    = cli_add(sum->bytes, cli_tensor_bytes(tensor));
}

static bool is_parameter(enum tn_role role, enum tn_dtype dtype)
{
    return role != TN_ROLE_STATE && role != TN_ROLE_SPARSE_INDICES &&
           tn_dtype_bits(dtype) > 0;
}

bool cli_is_parameter(const struct tn_tensor *tensor)
{
    return is_parameter(tn_tensor_role(tensor), tn_tensor_dtype(tensor));
}

/* While adding up, each role and type has its own place. */
static struct cli_sum_group *group_of(struct cli_sums        *sums,
                                      const struct tn_tensor *tensor)
{
    unsigned role = tn_tensor_role(tensor), dtype = tn_tensor_dtype(tensor);

    role                        = role < CLI_ROLE_COUNT ? role : TN_ROLE_STATE;
    dtype                       = dtype < TN_DTYPE_COUNT ? dtype : TN_UNDEFINED;
    struct cli_sum_group *group = &sums->groups[role * TN_DTYPE_COUNT + dtype];
    group->role                 = (enum tn_role)role;
    group->dtype                = (enum tn_dtype)dtype;
    return group;
}

static int compare_groups(const void *left, const void *right)
{
    const struct cli_sum_group *l = left, *r = right;
    bool                        is_left = is_parameter(l->role, l->dtype);

    if (is_left != is_parameter(r->role, r->dtype))
        return is_left ? -1 : 1;
    if (l->sum.bytes != r->sum.bytes)
        return (l->sum.bytes < r->sum.bytes) - (l->sum.bytes > r->sum.bytes);
    if (l->role != r->role)
        return (l->role > r->role) - (l->role < r->role);
    return (l->dtype > r->dtype) - (l->dtype < r->dtype);
}

/* Close the gaps, and sort. */
static void rank_groups(struct cli_sums *sums)
{
    for (uint32_t i = 0; i < CLI_ROLE_COUNT * TN_DTYPE_COUNT; i++)
        if (sums->groups[i].sum.tensors > 0)
            sums->groups[sums->group_count++] = sums->groups[i];
    qsort(sums->groups, sums->group_count, sizeof(sums->groups[0]),
          compare_groups);
}

/* Parameters are the numbers that a model learned or was given: neither text,
 * nor indices, nor the state of an optimizer.  Sums stop at the largest number
 * instead of wrapping. */
static void sums_add_up(struct cli_sums *sums, const struct tn_model *model)
{
    *sums = (struct cli_sums){ 0 };
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);

        add_to(&group_of(sums, tensor)->sum, tensor);
        if (cli_is_parameter(tensor))
            add_to(&sums->parameters, tensor);
    }
    rank_groups(sums);
}

/* ---- tenon info --json: the members of a model -------------------------- */

static void put_dims(struct cli_json *json, const struct tn_io *io)
{
    cli_json_key(json, "shape");
    if (!io->has_rank) {
        cli_json_null(json);
        return;
    }
    cli_json_open_flat(json, '[');
    for (uint32_t i = 0; i < io->rank; i++) {
        if (io->dims[i].symbol.size > 0)
            cli_json_bytes(json, io->dims[i].symbol);
        else if (io->dims[i].value >= 0)
            cli_json_number(json, (uint64_t)io->dims[i].value);
        else
            cli_json_null(json);
    }
    cli_json_close(json, ']');
}

static void put_io_list(struct cli_json *json, const char *key,
                        struct tn_io_list list)
{
    cli_json_key(json, key);
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < list.count; i++) {
        const struct tn_io *io = &list.items[i];

        cli_json_open_flat(json, '{');
        cli_json_put_bytes(json, "name", io->name);
        if (io->key.size > 0)
            cli_json_put_bytes(json, "key", io->key);
        cli_json_put_string(json, "dtype", tn_dtype_name(io->dtype));
        put_dims(json, io);
        if (io->note[0] != '\0')
            cli_json_put_string(json, "note", io->note);
        if (io->has_default)
            cli_json_put_bool(json, "has_default", true);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_facts(struct cli_json *json, const struct tn_model *model)
{
    cli_json_key(json, "facts");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_fact fact = tn_model_fact(model, i);

        cli_json_open_flat(json, '{');
        cli_json_put_bytes(json, "key", fact.key);
        cli_json_put_bytes(json, "value", fact.value);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_key(json, "tags");
    cli_json_open_flat(json, '[');
    for (uint32_t i = 0; i < tn_model_tag_count(model); i++)
        cli_json_bytes(json, tn_model_tag(model, i));
    cli_json_close(json, ']');
}

static void put_signatures(struct cli_json *json, const struct tn_model *model)
{
    cli_json_key(json, "signatures");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < tn_model_signature_count(model); i++) {
        const struct tn_signature *s = tn_model_signature(model, i);

        cli_json_open(json, '{');
        cli_json_put_bytes(json, "name", s->name);
        cli_json_put_bytes(json, "method", s->method);
        put_io_list(json, "inputs", s->inputs);
        put_io_list(json, "outputs", s->outputs);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_ops(struct cli_json *json, const struct tn_model *model)
{
    cli_json_put_number(json, "nodes", tn_model_node_count(model));
    cli_json_put_number(json, "subgraphs", tn_model_subgraph_count(model));
    cli_json_put_number(json, "functions", tn_model_function_count(model));
    cli_json_key(json, "operators");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < tn_model_op_kind_count(model); i++) {
        const struct tn_op_kind *kind = tn_model_op_kind(model, i);

        cli_json_open_flat(json, '{');
        cli_json_put_bytes(json, "type", kind->type);
        cli_json_put_bytes(json, "domain", kind->domain);
        cli_json_put_number(json, "count", kind->count);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_sum(struct cli_json *json, const struct cli_sum *sum)
{
    cli_json_put_number(json, "tensors", sum->tensors);
    cli_json_put_number(json, "elements", sum->elements);
    cli_json_put_number(json, "bytes", sum->bytes);
}

static void put_sums(struct cli_json *json, const struct cli_sums *sums)
{
    cli_json_key(json, "parameters");
    cli_json_open_flat(json, '{');
    put_sum(json, &sums->parameters);
    cli_json_close(json, '}');
    cli_json_key(json, "tensors");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < sums->group_count; i++) {
        const struct cli_sum_group *group = &sums->groups[i];

        cli_json_open_flat(json, '{');
        cli_json_put_string(json, "dtype", tn_dtype_name(group->dtype));
        cli_json_put_string(json, "role", cli_role_name(group->role));
        put_sum(json, &group->sum);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* Tensors of PaddlePaddle that hold sequences; most models have none, and no
 * such key. */
static void put_sequences(struct cli_json *json, const struct tn_model *model)
{
    bool has_some = false;

    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        if (tn_tensor_level_count(tensor) == 0)
            continue;
        if (!has_some) {
            cli_json_key(json, "sequences");
            cli_json_open(json, '[');
        }
        has_some = true;
        cli_json_open_flat(json, '{');
        cli_json_put_bytes(json, "name", tn_tensor_name(tensor));
        cli_json_levels(json, tensor);
        cli_json_close(json, '}');
    }
    if (has_some)
        cli_json_close(json, ']');
}

/* Into an object that is open: see tenon.info/1 in docs/json.md. */
static void json_model(struct cli_json *json, const struct tn_model *model,
                       const struct cli_sums *sums)
{
    cli_json_put_string(json, "format", tn_model_format(model));
    cli_json_put_string(json, "title", tn_model_title(model));
    cli_json_put_string(json, "dialect", tn_model_dialect(model));
    cli_json_put_number(json, "file_bytes", tn_model_file_size(model));
    put_facts(json, model);
    put_signatures(json, model);
    put_io_list(json, "inputs", tn_model_inputs(model));
    put_io_list(json, "outputs", tn_model_outputs(model));
    put_ops(json, model);
    put_sums(json, sums);
    put_sequences(json, model);
}

enum { SHORT_LIST = 12 };

struct info_opts {
    struct cli_common common;
    bool              wants_all;
};

#define FIELD(f) offsetof(struct info_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG, 'a', "all", FIELD(wants_all), NULL, "list every operator, input, output and property" },
    { 0 },
};
/* clang-format on */

/* ---- for people --------------------------------------------------------- */

struct page {
    const struct info_opts *opts;
    const struct tn_model  *model;
    struct cli_sums         sums;
};

static uint64_t shorten(const struct page *page, uint64_t count)
{
    /* A list that is one longer than allowed is shown, not cut. */
    return page->opts->wants_all || count <= SHORT_LIST + 1 ? count
                                                            : SHORT_LIST;
}

static void heading(const char *title, const struct cli_text *rest)
{
    putchar('\n');
    cli_paint(stdout, CLI_BOLD, title);
    if (rest != NULL && rest->size > 0) {
        fputs("  ", stdout);
        cli_print_wrapped(stdout, CLI_DIM, (unsigned)strlen(title) + 2, 2,
                          rest);
    } else {
        putchar('\n');
    }
}

static void print_more(uint64_t left, const char *what)
{
    struct cli_text text = { 0 };

    if (left == 0)
        return;
    cli_text_add(&text, "  and ");
    cli_text_number(&text, left);
    cli_text_addf(&text, " more%s", what);
    cli_print_wrapped(stdout, CLI_DIM, 0, 2, &text);
    cli_text_done(&text);
}

static void print_title(const struct page *page)
{
    struct cli_text name = { 0 }, text = { 0 };
    size_t          columns = cli_columns(stdout);

    cli_text_safe(&name, cli_bytes(cli_path_name(tn_model_path(page->model))));
    cli_text_addf(&text, "  %s, ", tn_model_title(page->model));
    cli_text_bytes(&text, tn_model_file_size(page->model));
    if (cli_is_fitted(stdout) && columns > cli_text_width(&text) + 8)
        cli_text_shorten(&name, columns - cli_text_width(&text));
    cli_print(stdout, CLI_BOLD, &name);
    cli_print(stdout, CLI_PLAIN, &text);
    putchar('\n');
    cli_text_done(&name);
    cli_text_done(&text);
}

/* The format, and its dialect when that is another word, come before what the
 * file says about itself. */
static uint64_t count_own_facts(const struct tn_model *model)
{
    const char *dialect = tn_model_dialect(model);

    return dialect[0] == '\0' || strcmp(dialect, tn_model_format(model)) == 0
               ? 1
               : 2;
}

/* The same key as above: a list, such as that of the operator sets. */
static bool is_repeated(const struct tn_model *model, uint32_t index)
{
    if (index == 0)
        return false;
    struct tn_bytes key   = tn_model_fact(model, index).key;
    struct tn_bytes above = tn_model_fact(model, index - 1).key;

    return key.size == above.size && key.size > 0 &&
           memcmp(key.data, above.data, key.size) == 0;
}

static void fill_fact(void *context, uint64_t row, struct cli_text *cells)
{
    const struct page *page = context;
    uint64_t           own  = count_own_facts(page->model);

    if (row == 0) {
        cli_text_add(&cells[0], "format");
        cli_text_add(&cells[1], tn_model_format(page->model));
    } else if (row < own) {
        cli_text_add(&cells[0], "dialect");
        cli_text_add(&cells[1], tn_model_dialect(page->model));
    } else {
        struct tn_fact fact = tn_model_fact(page->model, (uint32_t)(row - own));
        if (!is_repeated(page->model, (uint32_t)(row - own)))
            cli_text_safe(&cells[0], fact.key);
        cli_text_safe(&cells[1], fact.value);
    }
}

static void print_facts(struct page *page)
{
    static const struct cli_column columns[] = {
        { .colour = CLI_DIM },
        { 0 },
    };

    uint64_t         count = tn_model_fact_count(page->model);
    uint64_t         shown = shorten(page, count);
    struct cli_table table = {
        .indent       = 2,
        .column_count = 2,
        .columns      = columns,
        .row_count    = count_own_facts(page->model) + shown,
        .on_row       = fill_fact,
        .context      = page,
    };

    heading("Properties", NULL);
    cli_print_table(stdout, &table);
    print_more(count - shown, "; --all shows them");
}

static void print_tags(const struct page *page)
{
    struct cli_text text  = { 0 };
    uint32_t        count = tn_model_tag_count(page->model);

    for (uint32_t i = 0; i < count; i++) {
        cli_text_add(&text, i > 0 ? ", " : "");
        cli_text_safe(&text, tn_model_tag(page->model, i));
    }
    if (count > 0)
        heading("Tags", &text);
    cli_text_done(&text);
}

static void show_type(struct cli_text *text, const struct tn_io *io)
{
    if (io->note[0] != '\0')
        cli_text_addf(text, "%s%s", io->note,
                      io->dtype != TN_UNDEFINED ? " of " : "");
    if (io->dtype != TN_UNDEFINED)
        cli_text_add(text, tn_dtype_name(io->dtype));
    else if (io->note[0] == '\0')
        cli_text_add(text, "?");
}

static void fill_io(struct cli_text *cells, const struct tn_io *io,
                    bool is_signature)
{
    bool has_key = is_signature && io->key.size > 0;

    cli_text_safe(&cells[0], has_key ? io->key : io->name);
    show_type(&cells[1], io);
    if (io->has_rank || io->dtype != TN_UNDEFINED)
        cli_show_dims(&cells[2], io);
    if (io->has_default)
        cli_text_add(&cells[3], "has a default");
    else if (has_key)
        cli_text_safe(&cells[3], io->name);
}

/* Old ONNX models list every initializer as an input, too: an input with a
 * default need not be given, and is shown by --all. */
static uint32_t *select_ios(const struct page *page, struct tn_io_list list,
                            uint32_t *count)
{
    uint32_t *chosen = cli_allocate(list.count, sizeof(uint32_t));

    *count = 0;
    for (uint32_t i = 0; i < list.count; i++)
        if (page->opts->wants_all || !list.items[i].has_default)
            chosen[(*count)++] = i;
    return chosen;
}

struct io_rows {
    struct tn_io_list list;
    const uint32_t   *chosen;
};

static void fill_graph_end(void *context, uint64_t row, struct cli_text *cells)
{
    const struct io_rows *rows = context;

    fill_io(cells, &rows->list.items[rows->chosen[row]], false);
}

static void print_defaults(uint32_t count)
{
    struct cli_text text = { 0 };

    if (count == 0)
        return;
    cli_text_add(&text, "  and ");
    cli_text_number(&text, count);
    cli_text_add(&text, " with default values; --all shows them");
    cli_print_wrapped(stdout, CLI_DIM, 0, 2, &text);
    cli_text_done(&text);
}

static void print_io_list(const struct page *page, const char *title,
                          struct tn_io_list list)
{
    static const struct cli_column columns[] = {
        { 0 },
        { .colour = CLI_CYAN },
        { 0 },
        { .colour = CLI_DIM },
    };

    uint32_t         count;
    uint32_t        *chosen = select_ios(page, list, &count);
    struct io_rows   rows   = { list, chosen };
    uint64_t         shown  = shorten(page, count);
    struct cli_table table  = {
         .indent       = 2,
         .column_count = 4,
         .columns      = columns,
         .row_count    = shown,
         .on_row       = fill_graph_end,
         .context      = &rows,
    };

    if (list.count > 0) {
        heading(title, NULL);
        cli_print_table(stdout, &table);
        print_more(count - shown, "; --all shows them");
        print_defaults(list.count - count);
    }
    free(chosen);
}

/* What is shown of a signature: its inputs, then its outputs. */
struct call {
    const struct tn_signature *signature;
    uint64_t                   inputs, outputs;
};

static void fill_call(void *context, uint64_t row, struct cli_text *cells)
{
    const struct call         *call     = context;
    const struct tn_signature *s        = call->signature;
    bool                       is_input = row < call->inputs;

    cli_text_add(&cells[0], is_input ? "in" : "out");
    fill_io(cells + 1,
            is_input ? &s->inputs.items[row]
                     : &s->outputs.items[row - call->inputs],
            true);
}

static void print_call(const struct page *page, const struct tn_signature *s)
{
    static const struct cli_column columns[] = {
        { .colour = CLI_DIM }, { 0 }, { .colour = CLI_CYAN }, { 0 },
        { .colour = CLI_DIM },
    };

    struct call call = {
        .signature = s,
        .inputs    = shorten(page, s->inputs.count),
        .outputs   = shorten(page, s->outputs.count),
    };
    struct cli_table table = {
        .indent       = 2,
        .column_count = 5,
        .columns      = columns,
        .row_count    = call.inputs + call.outputs,
        .on_row       = fill_call,
        .context      = &call,
    };

    cli_print_table(stdout, &table);
    print_more(s->inputs.count - call.inputs + s->outputs.count - call.outputs,
               "; --all shows them");
}

static void print_signatures(struct page *page)
{
    uint32_t count = tn_model_signature_count(page->model);
    uint64_t shown = shorten(page, count);

    for (uint32_t i = 0; i < shown; i++) {
        const struct tn_signature *s    = tn_model_signature(page->model, i);
        struct cli_text            text = { 0 };
        cli_text_safe(&text, s->name);
        if (s->method.size > 0) {
            cli_text_add(&text, "  ");
            cli_text_safe(&text, s->method);
        }
        heading("Signature", &text);
        cli_text_done(&text);
        print_call(page, s);
    }
    print_more(count - shown, " signatures");
}

static void fill_op(void *context, uint64_t row, struct cli_text *cells)
{
    const struct page       *page = context;
    const struct tn_op_kind *kind =
        tn_model_op_kind(page->model, (uint32_t)row);

    cli_text_safe(&cells[0], kind->type);
    cli_text_number(&cells[1], kind->count);
    cli_text_safe(&cells[2], kind->domain);
}

static void show_node_total(struct cli_text *text, const struct tn_model *model)
{
    cli_show_plural(text, tn_model_node_count(model), "node", "nodes");
    if (tn_model_subgraph_count(model) > 0) {
        cli_text_add(text, ", ");
        cli_show_plural(text, tn_model_subgraph_count(model), "subgraph",
                        "subgraphs");
    }
    if (tn_model_function_count(model) > 0) {
        cli_text_add(text, ", ");
        cli_show_plural(text, tn_model_function_count(model), "function",
                        "functions");
    }
}

static void print_ops(struct page *page)
{
    static const struct cli_column columns[] = {
        { 0 },
        { .is_right = true },
        { .colour = CLI_DIM },
    };

    uint64_t         count = tn_model_op_kind_count(page->model);
    uint64_t         shown = shorten(page, count);
    struct cli_text  total = { 0 };
    struct cli_table table = {
        .indent       = 2,
        .column_count = 3,
        .columns      = columns,
        .row_count    = shown,
        .on_row       = fill_op,
        .context      = page,
    };

    if (tn_model_node_count(page->model) == 0)
        return;
    show_node_total(&total, page->model);
    heading("Operators", &total);
    cli_print_table(stdout, &table);
    print_more(count - shown, "; --all shows them");
    cli_text_done(&total);
}

static void fill_group(void *context, uint64_t row, struct cli_text *cells)
{
    const struct page          *page  = context;
    const struct cli_sum_group *group = &page->sums.groups[row];

    cli_text_add(&cells[0], tn_dtype_name(group->dtype));
    cli_text_add(&cells[1], cli_role_name(group->role));
    cli_text_number(&cells[2], group->sum.tensors);
    cli_text_number(&cells[3], group->sum.elements);
    cli_text_bytes(&cells[4], group->sum.bytes);
}

static void print_sums(struct page *page)
{
    static const struct cli_column columns[] = {
        { .title = "type", .colour = CLI_CYAN },
        { .title = "role", .is_extra = true, .is_whole = true },
        { .title = "tensors", .is_right = true, .is_extra = true },
        { .title = "elements", .is_right = true },
        { .title = "size", .is_right = true },
    };

    struct cli_text  total = { 0 };
    struct cli_table table = {
        .indent       = 2,
        .column_count = 5,
        .columns      = columns,
        .row_count    = page->sums.group_count,
        .on_row       = fill_group,
        .context      = page,
    };

    if (tn_model_tensor_count(page->model) == 0)
        return;
    bool has_parameters = page->sums.parameters.tensors > 0;
    if (has_parameters) {
        cli_text_number(&total, page->sums.parameters.elements);
        cli_text_add(&total, " in ");
        cli_show_plural(&total, page->sums.parameters.tensors, "tensor",
                        "tensors");
        cli_text_add(&total, ", ");
        cli_text_bytes(&total, page->sums.parameters.bytes);
    } else {
        cli_text_number(&total, tn_model_tensor_count(page->model));
    }
    heading(has_parameters ? "Parameters" : "Tensors", &total);
    cli_print_table(stdout, &table);
    cli_text_done(&total);
}

enum { SEQUENCES_SHOWN = 8 };

/* Tensors of PaddlePaddle that hold sequences, and where these begin. */
static void print_levels(const struct page *page)
{
    struct cli_text line  = { 0 };
    uint64_t        count = 0;

    for (uint64_t i = 0; i < tn_model_tensor_count(page->model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(page->model, i);
        if (tn_tensor_level_count(tensor) == 0 ||
            (++count > SEQUENCES_SHOWN && !page->opts->wants_all))
            continue;
        cli_text_clear(&line);
        if (count == 1)
            heading("Sequences (LoD)", &line);
        cli_text_add(&line, "  ");
        cli_show_label(&line, tensor);
        cli_text_add(&line, "  ");
        cli_show_levels(&line, tensor);
        cli_text_add(&line, "\n");
        cli_print(stdout, CLI_PLAIN, &line);
    }
    if (count > SEQUENCES_SHOWN && !page->opts->wants_all)
        print_more(count - SEQUENCES_SHOWN, "; --all shows them");
    cli_text_done(&line);
}

/* What people ask first comes first: what goes in and out, and how large it
 * is. */
static void print_page(struct page *page, bool is_next)
{
    if (is_next)
        putchar('\n');
    print_title(page);
    print_signatures(page);
    if (tn_model_signature_count(page->model) == 0 || page->opts->wants_all) {
        print_io_list(page, "Inputs", tn_model_inputs(page->model));
        print_io_list(page, "Outputs", tn_model_outputs(page->model));
    }
    print_sums(page);
    print_facts(page);
    print_tags(page);
    print_ops(page);
    print_levels(page);
}

/* ---- the verb ----------------------------------------------------------- */

static int show_one(struct cli_session *session, const char *path,
                    struct cli_json *json, bool *is_next)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;

    cli_session_tag(session, path);
    bool is_open =
        tn_model_open(&model, path, &session->options, &error) == TN_OK;

    cli_session_clear(session);
    if (is_open) {
        cli_pager_begin();
        struct page page = { .opts  = (const struct info_opts *)session->common,
                             .model = model };
        sums_add_up(&page.sums, model);
        if (json != NULL)
            json_model(json, model, &page.sums);
        else
            print_page(&page, *is_next);
        *is_next = true;
    } else if (json != NULL) {
        cli_json_error(json, &error);
    }
    tn_model_close(model);
    return is_open ? 0 : cli_fail(session->common, path, &error);
}

static int print_pages(struct cli_session *session, const struct cli_args *args)
{
    bool is_next = false;
    int  code    = 0;

    for (int i = 0; i < args->count; i++) {
        int this_code = show_one(session, args->items[i], NULL, &is_next);
        code          = code != 0 ? code : this_code;
    }
    return code;
}

static int print_json(struct cli_session *session, const struct cli_args *args)
{
    struct cli_json json;
    bool            is_next = false;
    int             code    = 0;

    cli_json_begin(&json, "tenon.info/1");
    cli_json_key(&json, "models");
    cli_json_open(&json, '[');
    for (int i = 0; i < args->count; i++) {
        cli_json_open(&json, '{');
        cli_json_put_string(&json, "path", cli_path_shown(args->items[i]));
        int this_code = show_one(session, args->items[i], &json, &is_next);
        code          = code != 0 ? code : this_code;
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_end(&json);
    return code;
}

static int run_info(const void *opts, const struct cli_args *args)
{
    struct cli_session session;

    cli_session_begin(&session, opts);
    return session.common->is_json ? print_json(&session, args)
                                   : print_pages(&session, args);
}

const struct cli_verb cli_info = {
    .name      = "info",
    .arguments = "FILE...",
    .summary   = "show the format, inputs, outputs, operators and parameters",
    .details  = "FILE is a model file, a folder such as a SavedModel, or - for "
                "standard input.\nNothing but names, shapes and types is read: "
                "a large model takes no longer than\na small one with as many "
                "nodes.",
    .examples = "tenon info tiny.onnx\n"
                "tenon info --json tiny.onnx | grep '\"parameters\"'",
    .least    = 1,
    .most     = CLI_MANY,
    .groups   = CLI_READS | CLI_REPORTS | CLI_SHOWS,
    .opts_size = sizeof(struct info_opts),
    .options   = options,
    .run       = run_info,
};
