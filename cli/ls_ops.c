/* ls_ops.c - tenon ls --ops: the operators of a model, one a line */
#include <stdlib.h>
#include <string.h>

#include "glob.h"
#include "ls.h"
#include "print.h"
#include "show.h"
#include "show_attr.h"

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

/* Control inputs carry a caret, as in TensorFlow's own text. */
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

static void print_table(struct op_list *list)
{
    static const struct cli_column columns[] = {
        { .title = "NAME" },
        { .title = "TYPE", .colour = CLI_CYAN },
        { .title = "INPUTS -> OUTPUTS" },
        { .title = "ATTRIBUTES" },
        { .title = "PATH", .colour = CLI_DIM },
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
static void show_tsv(struct cli_text *line, const struct op *op, bool is_long)
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
            show_tsv(&line, &list->items[i], list->opts->is_long);
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

static void print_json(const struct op_list *list)
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

int cli_ls_ops(const struct ls_opts *opts, const struct tn_model *model,
               const struct cli_args *args)
{
    struct op_list list = { .opts = opts, .model = model };

    select_ops(&list, args);
    sort_ops(&list);
    if (opts->common.is_json)
        print_json(&list);
    else if (opts->wants_names || opts->is_null || !cli_ls_is_table(opts))
        print_lines(&list);
    else
        print_table(&list);
    free(list.items);
    return cli_ls_verdict(opts, list.count, args);
}
