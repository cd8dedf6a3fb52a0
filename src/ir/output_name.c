/* output_name.c - names of values in the body of a TensorFlow function */
#include "ir/output_name.h"

struct tn_output_name tn_output_name_parse(struct tn_bytes name)
{
    const uint8_t        *first = tn_bytes_find(name, ':'), *second;
    struct tn_output_name to    = { .node = name };
    struct tn_bytes       rest;

    if (!first)
        return to;
    to.node   = tn_bytes(name.data, (size_t)(first - name.data));
    rest      = tn_bytes(first + 1, name.size - to.node.size - 1);
    second    = tn_bytes_find(rest, ':');
    to.is_one = second != NULL;
    to.argument =
        second ? tn_bytes(rest.data, (size_t)(second - rest.data)) : rest;
    return to;
}

bool tn_output_name_is_list(struct tn_bytes name)
{
    struct tn_output_name parsed = tn_output_name_parse(name);

    return parsed.argument.data && !parsed.is_one;
}
