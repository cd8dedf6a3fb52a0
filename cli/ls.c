/* ls.c - tenon ls: the tensors or operators of a model, one a line */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "failure.h"
#include "glob.h"
#include "option_table.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "show_statistics.h"
#include "verb_table.h"

enum ls_order { LS_AS_IT_IS, LS_BY_NAME, LS_BY_SIZE };
enum ls_layout { LS_AUTO, LS_TABLE, LS_TSV };

struct ls_opts {
    struct cli_common common;
    bool              wants_ops, wants_stats;
    bool              is_long, is_reverse, wants_names, is_null;
    unsigned          order;
    unsigned          layout;
    unsigned          role; /* enum ls_role                                  */
};

/* In the order of the words of --role. */
enum ls_role { LS_ANY_ROLE, LS_WEIGHTS, LS_CONSTANTS, LS_STATE };
#define LS_ROLES "weights|constants|state"

/* As with grep, finding nothing is exit code 1. */
static int ls_verdict(const struct ls_opts *opts, uint64_t count,
                      const struct cli_args *args)
{
    if (count > 0 || (args->count == 1 && opts->role == LS_ANY_ROLE))
        return 0;
    return cli_say_no_match(&opts->common,
                            opts->wants_ops ? "operator" : "tensor", args);
}

/* Is it for people? */
static bool ls_is_table(const struct ls_opts *opts)
{
    if (opts->layout == LS_AUTO)
        return cli_is_terminal(stdout);
    return opts->layout == LS_TABLE;
}

/* ---- tenon ls --ops: the operators of a model, one a line --------------- */

struct op {
    const struct tn_model *model; /* for the comparison */
    uint32_t               id;
};

struct op_list {
    const struct ls_opts  *opts;
    const struct tn_model *model;
    struct op             *items;
    uint32_t               count;
};

/* ---- which ops, in which order ------------------------------------------ */

static void show_op_path(struct cli_text *text, const struct op *op)
{
    char   small[256];
    size_t length = tn_op_path(op->model, op->id, small, sizeof(small));

    if (length < sizeof(small)) {
        cli_text_safe(text, (struct tn_bytes){ (uint8_t *)small, length });
        return;
    }
    char *large = cli_allocate(length + 1, 1);
    tn_op_path(op->model, op->id, large, length + 1);
    cli_text_safe(text, (struct tn_bytes){ (uint8_t *)large, length });
    free(large);
}

/* Many writers leave nodes without names: their path serves then. */
static void show_op_label(struct cli_text *text, const struct op *op,
                          bool is_raw)
{
    struct tn_bytes name = tn_model_op(op->model, op->id).name;

    if (name.size == 0)
        show_op_path(text, op);
    else if (is_raw)
        cli_text_put(text, name.data, name.size);
    else
        cli_text_safe(text, name);
}

static int compare_ops(const void *left, const void *right)
{
    const struct op *l = left, *r = right;
    struct tn_bytes  a       = tn_model_op(l->model, l->id).name;
    struct tn_bytes  b       = tn_model_op(r->model, r->id).name;
    size_t           shorter = a.size < b.size ? a.size : b.size;
    int              order = shorter > 0 ? memcmp(a.data, b.data, shorter) : 0;

    if (order == 0)
        order = (a.size > b.size) - (a.size < b.size);
    return order != 0 ? order : (l->id > r->id) - (l->id < r->id);
}

static void select_ops(struct op_list *list, const struct cli_args *args)
{
    uint32_t        count = tn_model_op_count(list->model);
    struct cli_text label = { 0 };

    list->items = cli_allocate(count, sizeof(struct op));
    for (uint32_t i = 0; i < count; i++) {
        struct op op = { list->model, i };

        cli_text_clear(&label);
        show_op_label(&label, &op, true);
        if (cli_glob_any(args->items + 1, args->count - 1,
                         cli_text_view(&label)) ||
            cli_glob_any(args->items + 1, args->count - 1,
                         tn_model_op(list->model, i).type))
            list->items[list->count++] = op;
    }
    cli_text_done(&label);
}

static void sort_ops(struct op_list *list)
{
    if (list->opts->order == LS_BY_NAME)
        qsort(list->items, list->count, sizeof(struct op), compare_ops);
    if (!list->opts->is_reverse)
        return;
    for (uint32_t i = 0; i < list->count / 2; i++) {
        struct op other                  = list->items[i];
        list->items[i]                   = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = other;
    }
}

/* ---- inputs and outputs ------------------------------------------------- */

/* In a list of names, a space inside one is \x20; one that is not given, "". */
static void show_value(struct cli_text *text, const struct tn_model *model,
                       uint32_t value)
{
    if (value == TN_NONE) {
        cli_text_add(text, "\"\"");
        return;
    }
    struct tn_bytes name = tn_model_value_info(model, value).name;
    for (size_t from = 0; from < name.size;) {
        const uint8_t *at    = name.data + from;
        const uint8_t *space = memchr(at, ' ', name.size - from);
        size_t size = space != NULL ? (size_t)(space - at) : name.size - from;

        cli_text_safe(text, (struct tn_bytes){ at, size });
        if (space != NULL)
            cli_text_add(text, "\\x20");
        from += size + (space != NULL ? 1 : 0);
    }
}

/* Control inputs are marked with a caret, as in TensorFlow's own text. */
static void show_inputs(struct cli_text *text, const struct op *op)
{
    struct tn_op_info info = tn_model_op(op->model, op->id);

    for (uint32_t i = 0; i < info.input_count + info.control_count; i++) {
        cli_text_add(text, i > 0 ? " " : "");
        cli_text_add(text, i >= info.input_count ? "^" : "");
        show_value(text, op->model, tn_op_input(op->model, op->id, i));
    }
}

static void show_outputs(struct cli_text *text, const struct op *op)
{
    struct tn_op_info info = tn_model_op(op->model, op->id);

    for (uint32_t i = 0; i < info.output_count; i++) {
        cli_text_add(text, i > 0 ? " " : "");
        show_value(text, op->model, tn_op_output(op->model, op->id, i));
    }
}

/* ---- for people --------------------------------------------------------- */

static void fill_op(void *context, uint64_t row, struct cli_text *cells)
{
    const struct op_list *list = context;
    const struct op      *op   = &list->items[row];
    struct tn_op_info     info = tn_model_op(op->model, op->id);

    show_op_label(&cells[0], op, false);
    cli_text_safe(&cells[1], info.type);
    if (info.domain.size > 0) {
        cli_text_add(&cells[1], " (");
        cli_text_safe(&cells[1], info.domain);
        cli_text_add(&cells[1], ")");
    }
    show_inputs(&cells[2], op);
    cli_text_add(&cells[2], cells[2].size > 0 ? " -> " : "-> ");
    show_outputs(&cells[2], op);
    if (list->opts->is_long) {
        cli_show_attrs(&cells[3], op->model, op->id);
        show_op_path(&cells[4], op);
    }
}

static void print_op_table(struct op_list *list)
{
    static const struct cli_column columns[] = {
        { .title = "NAME" },
        { .title = "TYPE", .colour = CLI_CYAN },
        { .title = "INPUTS -> OUTPUTS" },
        { .title = "ATTRIBUTES" },
        { .title = "PATH", .colour = CLI_DIM, .is_extra = true },
    };

    struct cli_table table = {
        .column_count = list->opts->is_long ? 5 : 3,
        .columns      = columns,
        .row_count    = list->count,
        .on_row       = fill_op,
        .context      = list,
    };
    struct cli_text total = { 0 };

    if (list->count > 0)
        cli_print_table(stdout, &table);
    cli_show_plural(&total, list->count, "operator", "operators");
    cli_print(stdout, CLI_DIM, &total);
    putchar('\n');
    cli_text_done(&total);
}

/* ---- for programs ------------------------------------------------------- */

/* The manual promises these columns: new ones go to the end. */
static void show_op_tsv(struct cli_text *line, const struct op *op,
                        bool is_long)
{
    struct tn_op_info info = tn_model_op(op->model, op->id);

    show_op_label(line, op, false);
    cli_text_add(line, "\t");
    cli_text_safe(line, info.type);
    cli_text_add(line, "\t");
    cli_text_safe(line, info.domain);
    cli_text_add(line, "\t");
    show_inputs(line, op);
    cli_text_add(line, "\t");
    show_outputs(line, op);
    cli_text_addf(line, "\t%s\t", tn_model_graph(op->model, info.graph).path);
    show_op_path(line, op);
    if (is_long) {
        cli_text_add(line, "\t");
        cli_show_attrs(line, op->model, op->id);
    }
    cli_text_add(line, "\n");
}

static void show_name(struct cli_text *line, const struct op *op, bool is_null)
{
    show_op_label(line, op, is_null);
    cli_text_put(line, is_null ? "\0" : "\n", 1);
}

static void print_lines(const struct op_list *list)
{
    bool wants_names     = list->opts->wants_names || list->opts->is_null;
    struct cli_text line = { 0 };

    for (uint32_t i = 0; i < list->count; i++) {
        cli_text_clear(&line);
        if (wants_names)
            show_name(&line, &list->items[i], list->opts->is_null);
        else
            show_op_tsv(&line, &list->items[i], list->opts->is_long);
        cli_print(stdout, CLI_PLAIN, &line);
    }
    cli_text_done(&line);
}

typedef uint32_t value_at(const struct tn_model *model, uint32_t op,
                          uint32_t index);

static void put_values(struct cli_json *json, const char *key,
                       const struct op *op, value_at *at, uint32_t first,
                       uint32_t count)
{
    cli_json_key(json, key);
    cli_json_open_flat(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = at(op->model, op->id, first + i);

        if (value == TN_NONE)
            cli_json_null(json);
        else
            cli_json_bytes(json, tn_model_value_info(op->model, value).name);
    }
    cli_json_close(json, ']');
}

static void print_ops_json(const struct op_list *list)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.ls-ops/1");
    cli_json_put_string(&json, "path", tn_model_path(list->model));
    cli_json_put_string(&json, "format", tn_model_format(list->model));
    cli_json_key(&json, "operators");
    cli_json_open(&json, '[');
    for (uint32_t i = 0; i < list->count; i++) {
        const struct op  *op      = &list->items[i];
        bool              is_long = list->opts->is_long;
        struct tn_op_info info    = tn_model_op(op->model, op->id);
        struct cli_text   path    = { 0 };
        show_op_path(&path, op);
        cli_json_open_flat(&json, '{');
        cli_json_put_bytes(&json, "name", info.name);
        cli_json_put_bytes(&json, "type", info.type);
        cli_json_put_bytes(&json, "domain", info.domain);
        put_values(&json, "inputs", op, tn_op_input, 0, info.input_count);
        put_values(&json, "controls", op, tn_op_input, info.input_count,
                   info.control_count);
        put_values(&json, "outputs", op, tn_op_output, 0, info.output_count);
        cli_json_put_string(&json, "graph",
                            tn_model_graph(op->model, info.graph).path);
        cli_json_put_bytes(&json, "path", cli_text_view(&path));
        if (is_long)
            cli_json_attrs(&json, op->model, op->id);
        cli_json_close(&json, '}');
        cli_text_done(&path);
    }
    cli_json_close(&json, ']');
    cli_json_end(&json);
}

/* Print the operators that match; returns an exit code. */
static int ls_ops(const struct ls_opts *opts, const struct tn_model *model,
                  const struct cli_args *args)
{
    struct op_list list = { .opts = opts, .model = model };

    select_ops(&list, args);
    sort_ops(&list);
    cli_pager_begin();
    if (opts->common.is_json)
        print_ops_json(&list);
    else if (opts->wants_names || opts->is_null || !ls_is_table(opts))
        print_lines(&list);
    else
        print_op_table(&list);
    free(list.items);
    return ls_verdict(opts, list.count, args);
}

#define FIELD(f) offsetof(struct ls_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG,   0,   "ops",     FIELD(wants_ops),   NULL,        "list operators instead of tensors" },
    { CLI_FLAG,   0,   "stats",   FIELD(wants_stats), NULL,        "read the elements: smallest, mean, zeros..." },
    { CLI_FLAG,   'l', "long",    FIELD(is_long),     NULL,        "also role, storage, path and attributes" },
    { CLI_CHOICE, 's', "sort",    FIELD(order),       "name|size", "order by name, or largest first" },
    { CLI_FLAG,   'r', "reverse", FIELD(is_reverse),  NULL,        "reverse the order" },
    { CLI_CHOICE, 'R', "role",    FIELD(role),        LS_ROLES,    "only weights, constants or optimizer state" },
    { CLI_CHOICE, 0,   "layout",  FIELD(layout),      "table|tsv", "for people, or for programs" },
    { CLI_FLAG,   '1', "names",   FIELD(wants_names), NULL,        "names only" },
    { CLI_FLAG,   '0', "null",    FIELD(is_null),     NULL,        "names only, unescaped, NUL after each" },
    { 0 },
};
/* clang-format on */

/* ---- which tensors, in which order -------------------------------------- */

struct listing {
    const struct ls_opts    *opts;
    const struct tn_model   *model;
    const struct tn_tensor **items;
    uint64_t                 count;
    uint64_t                 bytes;
    bool                     has_levels; /* one of them does                 */
    struct cli_statistics    statistics; /* of --stats                       */
};

static int compare_names(const void *left, const void *right)
{
    const struct tn_tensor *const *l = left, *const *r = right;
    struct tn_bytes a = tn_tensor_name(*l), b = tn_tensor_name(*r);
    size_t          shorter = a.size < b.size ? a.size : b.size;
    int             order   = shorter > 0 ? memcmp(a.data, b.data, shorter) : 0;

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_sizes(const void *left, const void *right)
{
    const struct tn_tensor *const *l = left, *const *r = right;
    uint64_t a = cli_tensor_bytes(*l), b = cli_tensor_bytes(*r);

    return a != b ? (a < b) - (a > b) : compare_names(left, right);
}

static void reverse(const struct tn_tensor **items, uint64_t count)
{
    for (uint64_t i = 0; i < count / 2; i++) {
        const struct tn_tensor *other = items[i];
        items[i]                      = items[count - 1 - i];
        items[count - 1 - i]          = other;
    }
}

static bool is_weight(enum tn_role role)
{
    return role == TN_ROLE_INITIALIZER || role == TN_ROLE_VARIABLE ||
           role == TN_ROLE_SPARSE_VALUES || role == TN_ROLE_SPARSE_INDICES;
}

/* A frozen graph keeps its weights in the attributes of its constants. */
static bool has_weights_apart(const struct tn_model *model)
{
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        if (is_weight(tn_tensor_role(tn_model_tensor(model, i))))
            return true;
    return false;
}

static bool has_role(const struct tn_tensor *tensor, enum ls_role wanted,
                     bool are_weights_apart)
{
    enum tn_role role = tn_tensor_role(tensor);

    switch (wanted) {
    case LS_ANY_ROLE: break;
    case LS_WEIGHTS:
        return is_weight(role) ||
               (role == TN_ROLE_ATTRIBUTE && !are_weights_apart &&
                tn_dtype_bits(tn_tensor_dtype(tensor)) > 0);
    case LS_CONSTANTS: return role == TN_ROLE_ATTRIBUTE;
    case LS_STATE: return role == TN_ROLE_STATE;
    }
    return true;
}

static void select_tensors(struct listing *list, const struct cli_args *args)
{
    uint64_t        count = tn_model_tensor_count(list->model);
    struct cli_text label = { 0 };
    bool            are_apart =
        list->opts->role == LS_WEIGHTS && has_weights_apart(list->model);

    list->items = cli_allocate((size_t)count, sizeof(const void *));
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(list->model, i);

        cli_text_clear(&label);
        cli_show_raw_label(&label, tensor);
        if (!cli_glob_any(args->items + 1, args->count - 1,
                          cli_text_view(&label)) ||
            !has_role(tensor, (enum ls_role)list->opts->role, are_apart))
            continue;
        list->items[list->count++] = tensor;
        list->bytes = cli_add(list->bytes, cli_tensor_bytes(tensor));
        list->has_levels |= tn_tensor_level_count(tensor) > 0;
    }
    cli_text_done(&label);
}

/* ---- for people --------------------------------------------------------- */

/* "weights.bin@0x1c40": where its bytes begin. */
static void show_where(struct cli_text *text, const struct tn_tensor *tensor)
{
    const char *file = tn_tensor_file(tensor);

    if (file[0] != '\0')
        cli_text_safe(text, cli_bytes(file));
    if (tn_tensor_offset(tensor) != TN_NOWHERE)
        cli_text_addf(text, "@0x%" PRIx64, tn_tensor_offset(tensor));
}

static void fill_row(void *context, uint64_t row, struct cli_text *cells)
{
    const struct listing   *list   = context;
    const struct tn_tensor *tensor = list->items[row];

    cli_show_label(&cells[0], tensor);
    cli_text_add(&cells[1], cli_type_name(tensor));
    cli_show_shape(&cells[2], tensor);
    cli_text_bytes(&cells[3], cli_tensor_bytes(tensor));
    show_where(&cells[4], tensor);
    if (!list->opts->is_long)
        return;
    cli_text_add(&cells[5], tn_tensor_storage(tensor));
    cli_text_add(&cells[6], cli_role_name(tn_tensor_role(tensor)));
    cli_show_path(&cells[7], tensor);
    if (list->has_levels)
        cli_show_levels(&cells[8], tensor);
}

static void print_total(const struct listing *list)
{
    struct cli_text text = { 0 };

    cli_show_plural(&text, list->count, "tensor", "tensors");
    cli_text_add(&text, ", ");
    cli_text_bytes(&text, list->bytes);
    cli_print(stdout, CLI_DIM, &text);
    putchar('\n');
    cli_text_done(&text);
}

static void print_table(struct listing *list)
{
    static const struct cli_column columns[] = {
        { .title = "NAME" },
        { .title = "TYPE", .colour = CLI_CYAN, .is_whole = true },
        { .title = "SHAPE" },
        { .title = "SIZE", .is_right = true },
        { .title = "WHERE", .colour = CLI_DIM, .is_extra = true },
        { .title = "STORAGE", .is_extra = true },
        { .title = "ROLE", .is_extra = true },
        { .title = "PATH", .colour = CLI_DIM, .is_extra = true },
        { .title = "LOD" },
    };

    struct cli_table table = {
        .column_count = !list->opts->is_long ? 5
                        : list->has_levels   ? 9
                                             : 8,
        .columns      = columns,
        .row_count    = list->count,
        .on_row       = fill_row,
        .context      = list,
    };

    if (list->count > 0)
        cli_print_table(stdout, &table);
    print_total(list);
}

/* NaNs and infinities have columns when there are some. */
static void fill_stats_row(void *context, uint64_t row, struct cli_text *cells)
{
    const struct listing       *list   = context;
    const struct tn_tensor     *tensor = list->items[row];
    const struct tn_statistics *s      = list->statistics.items[row];

    cli_show_label(&cells[0], tensor);
    cli_text_add(&cells[1], cli_type_name(tensor));
    cli_show_shape(&cells[2], tensor);
    cli_show_rounded(&cells[3], s->min);
    cli_show_rounded(&cells[4], s->max);
    cli_show_rounded(&cells[5], s->mean);
    cli_show_rounded(&cells[6], s->deviation);
    cli_text_number(&cells[7], s->zeros);
    if (list->statistics.has_odd) {
        cli_text_number(&cells[8], s->nans);
        cli_text_number(&cells[9], s->infinities);
    }
    cli_show_histogram(&cells[10], s, TN_STATISTICS_BINS / 2);
}

static void print_stats_table(struct listing *list)
{
    static const struct cli_column plain[] = {
        { .title = "NAME" },
        { .title    = "TYPE",
          .colour   = CLI_CYAN,
          .is_extra = true,
          .is_whole = true },
        { .title = "SHAPE", .is_extra = true, .is_whole = true },
        { .title = "MIN", .is_right = true },
        { .title = "MAX", .is_right = true },
        { .title = "MEAN", .is_right = true },
        { .title = "DEVIATION", .is_right = true },
        { .title = "ZEROS", .is_right = true },
        { .title = "", .is_right = true },
        { .title = "", .is_right = true },
        { .title    = "HISTOGRAM",
          .colour   = CLI_DIM,
          .is_extra = true,
          .is_whole = true },
    };
    struct cli_column columns[sizeof(plain) / sizeof(plain[0])];
    struct cli_table  table = {
         .column_count = sizeof(plain) / sizeof(plain[0]),
         .columns      = columns,
         .row_count    = list->count,
         .on_row       = fill_stats_row,
         .context      = list,
    };

    memcpy(columns, plain, sizeof(plain));
    if (list->statistics.has_odd) {
        columns[8].title = "NANS";
        columns[9].title = "INFINITIES";
    }
    if (list->count > 0)
        cli_print_table(stdout, &table);
    print_total(list);
}

/* ---- for programs ------------------------------------------------------- */

/* The manual promises these columns: new ones go to the end. */
static void show_tsv(struct cli_text *line, const struct listing *list,
                     uint64_t row)
{
    const struct tn_tensor *tensor = list->items[row];

    cli_show_label(line, tensor);
    cli_text_addf(line, "\t%s\t", cli_type_name(tensor));
    cli_show_shape(line, tensor);
    cli_text_addf(line, "\t%" PRIu64 "\t", tn_tensor_size(tensor));
    cli_text_safe(line, cli_bytes(tn_tensor_file(tensor)));
    if (tn_tensor_offset(tensor) != TN_NOWHERE)
        cli_text_addf(line, "\t%" PRIu64, tn_tensor_offset(tensor));
    else
        cli_text_add(line, "\t-");
    cli_text_addf(line, "\t%" PRIu64 "\t%s\t%s\t",
                  tn_tensor_stored_size(tensor), tn_tensor_storage(tensor),
                  cli_role_name(tn_tensor_role(tensor)));
    cli_show_path(line, tensor);
    if (list->opts->is_long) {
        cli_text_add(line, "\t");
        cli_show_levels(line, tensor);
    }
    if (list->opts->wants_stats)
        cli_show_statistics_tsv(line, tensor, list->statistics.items[row]);
    cli_text_add(line, "\n");
}

static void print_tsv(const struct listing *list)
{
    struct cli_text line = { 0 };

    for (uint64_t i = 0; i < list->count; i++) {
        cli_text_clear(&line);
        show_tsv(&line, list, i);
        cli_print(stdout, CLI_PLAIN, &line);
    }
    cli_text_done(&line);
}

static void print_names(const struct listing *list)
{
    struct cli_text line = { 0 };

    for (uint64_t i = 0; i < list->count; i++) {
        cli_text_clear(&line);
        if (list->opts->is_null)
            cli_show_raw_label(&line, list->items[i]);
        else
            cli_show_label(&line, list->items[i]);
        cli_text_put(&line, list->opts->is_null ? "\0" : "\n", 1);
        cli_print(stdout, CLI_PLAIN, &line);
    }
    cli_text_done(&line);
}

static void print_json(const struct listing *list)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.ls/1");
    cli_json_put_string(&json, "path", tn_model_path(list->model));
    cli_json_put_string(&json, "format", tn_model_format(list->model));
    cli_json_key(&json, "tensors");
    cli_json_open(&json, '[');
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tn_tensor *tensor = list->items[i];
        struct cli_text         path   = { 0 };
        cli_show_path(&path, tensor);
        cli_json_open_flat(&json, '{');
        cli_json_put_bytes(&json, "name", tn_tensor_name(tensor));
        cli_json_put_string(&json, "dtype",
                            tn_dtype_name(tn_tensor_dtype(tensor)));
        cli_json_shape(&json, tensor);
        cli_json_put_number(&json, "elements", tn_tensor_count(tensor));
        cli_json_put_number(&json, "bytes", tn_tensor_size(tensor));
        cli_json_put_string(&json, "role",
                            cli_role_name(tn_tensor_role(tensor)));
        cli_json_put_string(&json, "file", tn_tensor_file(tensor));
        cli_json_put_offset(&json, "offset", tn_tensor_offset(tensor));
        cli_json_put_number(&json, "stored_bytes",
                            tn_tensor_stored_size(tensor));
        cli_json_put_string(&json, "storage", tn_tensor_storage(tensor));
        cli_json_blocks(&json, tensor);
        cli_json_put_bytes(&json, "path", cli_text_view(&path));
        if (tn_tensor_level_count(tensor) > 0)
            cli_json_levels(&json, tensor);
        if (list->opts->wants_stats)
            cli_json_statistics(&json, tensor, list->statistics.items[i]);
        cli_json_close(&json, '}');
        cli_text_done(&path);
    }
    cli_json_close(&json, ']');
    cli_json_end(&json);
}

/* ---- the verb ----------------------------------------------------------- */

static void print_listing(struct listing *list)
{
    const struct ls_opts *opts = list->opts;

    cli_pager_begin();
    if (opts->common.is_json)
        print_json(list);
    else if (opts->wants_names || opts->is_null)
        print_names(list);
    else if (!ls_is_table(opts))
        print_tsv(list);
    else if (opts->wants_stats)
        print_stats_table(list);
    else
        print_table(list);
}

static int list_tensors(struct cli_session *session, const struct ls_opts *opts,
                        const struct tn_model *model,
                        const struct cli_args *args)
{
    struct listing list = { .opts = opts, .model = model };
    int            code = 0;

    select_tensors(&list, args);
    if (list.opts->order != LS_AS_IT_IS)
        qsort(list.items, (size_t)list.count, sizeof(list.items[0]),
              list.opts->order == LS_BY_NAME ? compare_names : compare_sizes);
    if (list.opts->is_reverse)
        reverse(list.items, list.count);
    if (opts->wants_stats)
        code = cli_statistics_begin(&list.statistics, session, model,
                                    list.items, list.count);
    if (code == 0) {
        print_listing(&list);
        code = ls_verdict(opts, list.count, args);
    }
    cli_statistics_done(&list.statistics);
    free(list.items);
    return code;
}

static int run_ls(const void *opts, const struct cli_args *args)
{
    const struct ls_opts *o = opts;
    struct cli_session    session;
    struct tn_model      *model = NULL;

    if (o->wants_ops && o->order == LS_BY_SIZE)
        return cli_usage("ls", "--sort size does not work with --ops");
    if (o->wants_ops && o->role != LS_ANY_ROLE)
        return cli_usage("ls", "--role does not work with --ops");
    if (o->wants_ops && o->wants_stats)
        return cli_usage("ls", "--stats does not work with --ops");
    if (o->wants_stats && (o->wants_names || o->is_null))
        return cli_usage("ls", "--stats does not work with --names or --null");
    cli_session_begin(&session, opts);
    session.options.wants_graph = o->wants_ops;
    int code = cli_session_open(&session, args->items[0], &model);
    if (code == 0)
        code = o->wants_ops ? ls_ops(o, model, args)
                            : list_tensors(&session, o, model, args);
    tn_model_close(model);
    return code;
}

const struct cli_verb cli_ls = {
    .name      = "ls",
    .arguments = "FILE [PATTERN...]",
    .summary   = "list tensors or operators, one per line",
    .details   = "Lists the tensors whose names match any PATTERN (* ? [a-z]), "
                 "or all of them.\nOn a terminal: a table.  Elsewhere one line "
                 "each, TAB between columns, numbers\nin bytes: name, type, "
                 "shape, bytes, file, offset, stored bytes, storage, role,\n"
                 "path; with --stats then min, max, mean, deviation, zeros, "
                 "NaNs, infinities,\nlow, width and counts of a histogram.  "
                 "Operators (--ops): name, type, domain,\ninputs, outputs, "
                 "graph, path; PATTERN then means names or types.",
    .examples  = "tenon ls --sort size tiny.onnx | head -n 3\n"
                 "tenon ls tiny.onnx '*.bias' | cut -f 1,3",
    .least     = 1,
    .most      = CLI_MANY,
    .groups    = CLI_READS | CLI_REPORTS | CLI_SHOWS,
    .opts_size = sizeof(struct ls_opts),
    .options   = options,
    .run       = run_ls,
};
