/* show.c - parts of a model as text: shapes, inputs and outputs, tensors */
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>

void cli_show_shape(struct cli_text *text, const struct tn_tensor *tensor)
{
    const uint64_t *dims = tn_tensor_dims(tensor);

    cli_text_add(text, "[");
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        cli_text_addf(text, i > 0 ? ",%" PRIu64 : "%" PRIu64, dims[i]);
    cli_text_add(text, "]");
}

void cli_show_dims(struct cli_text *text, const struct tn_io *io)
{
    if (!io->has_rank) {
        cli_text_add(text, "[...]");
        return;
    }
    cli_text_add(text, "[");
    for (uint32_t i = 0; i < io->rank; i++) {
        const struct tn_dim *dim = &io->dims[i];

        cli_text_add(text, i > 0 ? ", " : "");
        if (dim->symbol.size > 0)
            cli_text_safe(text, dim->symbol);
        else if (dim->value >= 0)
            cli_text_addf(text, "%" PRId64, dim->value);
        else
            cli_text_add(text, "?");
    }
    cli_text_add(text, "]");
}

void cli_show_path(struct cli_text *text, const struct tn_tensor *tensor)
{
    char   small[256];
    size_t length = tn_tensor_path(tensor, small, sizeof(small));

    if (length < sizeof(small)) {
        cli_text_safe(text, (struct tn_bytes){ (uint8_t *)small, length });
        return;
    }
    char *large = cli_allocate(length + 1, 1);
    tn_tensor_path(tensor, large, length + 1);
    cli_text_safe(text, (struct tn_bytes){ (uint8_t *)large, length });
    free(large);
}

enum { LEVEL_SHOWN = 16 };

void cli_show_levels(struct cli_text *text, const struct tn_tensor *tensor)
{
    uint64_t levels = tn_tensor_level_count(tensor);

    cli_text_add(text, levels > 0 ? "[" : "");
    for (uint64_t i = 0; i < levels && i < LEVEL_SHOWN; i++) {
        uint64_t offsets[LEVEL_SHOWN], count = 0;
        tn_tensor_level(tensor, i, offsets, LEVEL_SHOWN, &count, NULL);
        cli_text_add(text, i > 0 ? ",[" : "[");
        for (uint64_t k = 0; k < count && k < LEVEL_SHOWN; k++)
            cli_text_addf(text, "%s%" PRIu64, k > 0 ? "," : "", offsets[k]);
        cli_text_add(text, count > LEVEL_SHOWN ? ",...]" : "]");
    }
    cli_text_add(text, levels > LEVEL_SHOWN ? ",...]" : levels > 0 ? "]" : "");
}

void cli_json_levels(struct cli_json *json, const struct tn_tensor *tensor)
{
    cli_json_key(json, "lod");
    cli_json_open_flat(json, '[');
    for (uint64_t i = 0; i < tn_tensor_level_count(tensor); i++) {
        uint64_t count = 0;
        tn_tensor_level(tensor, i, NULL, 0, &count, NULL);
        uint64_t *offsets = cli_allocate((size_t)count, sizeof(*offsets));
        tn_tensor_level(tensor, i, offsets, count, &count, NULL);
        cli_json_open_flat(json, '[');
        for (uint64_t k = 0; k < count; k++)
            cli_json_number(json, offsets[k]);
        cli_json_close(json, ']');
        free(offsets);
    }
    cli_json_close(json, ']');
}

void cli_show_label(struct cli_text *text, const struct tn_tensor *tensor)
{
    struct tn_bytes name = tn_tensor_name(tensor);

    if (name.size > 0)
        cli_text_safe(text, name);
    else
        cli_show_path(text, tensor);
}

void cli_show_raw_label(struct cli_text *text, const struct tn_tensor *tensor)
{
    struct tn_bytes name = tn_tensor_name(tensor);

    if (name.size > 0)
        cli_text_put(text, name.data, name.size);
    else
        cli_show_path(text, tensor);
}

const char *cli_role_name(enum tn_role role)
{
    switch (role) {
    case TN_ROLE_INITIALIZER: return "initializer";
    case TN_ROLE_ATTRIBUTE: return "attribute";
    case TN_ROLE_VARIABLE: return "variable";
    case TN_ROLE_SPARSE_VALUES: return "sparse-values";
    case TN_ROLE_SPARSE_INDICES: return "sparse-indices";
    case TN_ROLE_STATE: return "state";
    }
    return "other";
}

uint64_t cli_tensor_bytes(const struct tn_tensor *tensor)
{
    if (tn_dtype_size(tn_tensor_dtype(tensor)) == 0)
        return tn_tensor_stored_size(tensor);
    return tn_tensor_size(tensor);
}

uint64_t cli_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

void cli_show_plural(struct cli_text *text, uint64_t count, const char *one,
                     const char *many)
{
    cli_text_number(text, count);
    cli_text_addf(text, " %s", count == 1 ? one : many);
}

void cli_json_shape(struct cli_json *json, const struct tn_tensor *tensor)
{
    const uint64_t *dims = tn_tensor_dims(tensor);

    cli_json_key(json, "shape");
    cli_json_open_flat(json, '[');
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        cli_json_number(json, dims[i]);
    cli_json_close(json, ']');
}

void cli_json_error(struct cli_json *json, const struct tn_error *error)
{
    cli_json_key(json, "error");
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "status", tn_status_name(error->status));
    cli_json_put_string(json, "reason", tn_reason_word(error->reason));
    cli_json_put_string(json, "file", error->file);
    cli_json_put_offset(json, "offset", error->offset);
    cli_json_put_string(json, "where", error->where);
    cli_json_put_string(json, "what", error->what);
    cli_json_close(json, '}');
}
