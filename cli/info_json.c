/* info_json.c - tenon info --json: the members of a model */
#include "info_json.h"

#include "show.h"

static void put_dims(struct cli_json *json, const struct tn_io *end)
{
    cli_json_key(json, "shape");
    if (!end->has_rank) {
        cli_json_null(json);
        return;
    }
    cli_json_open_flat(json, '[');
    for (uint32_t i = 0; i < end->rank; i++) {
        if (end->dims[i].symbol.size > 0)
            cli_json_bytes(json, end->dims[i].symbol);
        else if (end->dims[i].value >= 0)
            cli_json_number(json, (uint64_t)end->dims[i].value);
        else
            cli_json_null(json);
    }
    cli_json_close(json, ']');
}

static void put_ends(struct cli_json *json, const char *key,
                     struct tn_io_list ends)
{
    cli_json_key(json, key);
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < ends.count; i++) {
        const struct tn_io *end = &ends.items[i];

        cli_json_open_flat(json, '{');
        cli_json_put_bytes(json, "name", end->name);
        if (end->key.size > 0)
            cli_json_put_bytes(json, "key", end->key);
        cli_json_put_string(json, "dtype", tn_dtype_name(end->dtype));
        put_dims(json, end);
        if (end->note[0] != '\0')
            cli_json_put_string(json, "note", end->note);
        if (end->has_default)
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
        put_ends(json, "inputs", s->inputs);
        put_ends(json, "outputs", s->outputs);
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

void cli_json_model(struct cli_json *json, const struct tn_model *model,
                    const struct cli_sums *sums)
{
    cli_json_put_string(json, "format", tn_model_format(model));
    cli_json_put_string(json, "title", tn_model_title(model));
    cli_json_put_string(json, "dialect", tn_model_dialect(model));
    cli_json_put_number(json, "file_bytes", tn_model_file_size(model));
    put_facts(json, model);
    put_signatures(json, model);
    put_ends(json, "inputs", tn_model_inputs(model));
    put_ends(json, "outputs", tn_model_outputs(model));
    put_ops(json, model);
    put_sums(json, sums);
    put_sequences(json, model);
}
