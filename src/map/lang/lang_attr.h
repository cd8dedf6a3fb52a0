/*
 * lang_attr.h - attributes of nodes as items of the rule language, and back
 */
#ifndef TN_MAP_LANG_ATTR_H
#define TN_MAP_LANG_ATTR_H

#include "map/lang/lang_eval.h"

/* What rules see of an attribute; lists are made in the arena. */
bool tn_attr_to_item(const struct tn_attr_value *value, struct tn_arena *arena,
                     struct tn_item *out, struct tn_error *error);

/* A vocabulary's word for a type, as "int" or "list(int)": the kind that it
 * means, and that of the items of a list, "int". */
enum tn_attr_kind tn_attr_kind_of(struct tn_bytes type);
struct tn_bytes   tn_attr_item_type(struct tn_bytes type);

/* The form of an attribute in a dialect: `kind` as in the vocabulary, or
 * TN_ATTR_NONE if any kind will do. */
struct tn_attr_wish {
    enum tn_attr_kind kind;
    bool              is_list;
    bool              has_doubles; /* floats of the dialect have 64 bits      */
};

/* Converts an item to an attribute, in the arena.  Returns NULL on success;
 * else what is wrong with it, or "" if that is in `error`. */
const char *tn_attr_from_item(struct tn_item             item,
                              const struct tn_attr_wish *wish,
                              struct tn_arena *arena, struct tn_attr_value *out,
                              struct tn_error *error);

#endif
