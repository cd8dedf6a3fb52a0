/*
 * rule_functions.c - the functions that rules name, found
 */
#include "map/dl4j/rule_table.h"

static const struct tn_map_function *const tables[] = {
    tn_map_functions_of_tensors,
    tn_map_functions_of_attributes,
};

/* Other names for them. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    { "StringEqualsConversion", "stringequals" },
    { "IndexLookup", "listattributevaluelookuptoindex" },
};

const struct tn_map_function *tn_map_function_at(unsigned index)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct tn_map_function *row = tables[i]; row->name; row++)
            if (!index--)
                return row;
    return NULL;
}

const struct tn_map_function *tn_map_function_find(struct tn_bytes name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (tn_bytes_is(name, aliases[i].alias))
            name = tn_text(aliases[i].name);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct tn_map_function *row = tables[i]; row->name; row++)
            if (tn_bytes_is(name, row->name))
                return row;
    return NULL;
}
