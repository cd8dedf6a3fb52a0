/*
 * fold_items.h - the elements of a tensor as items of the rule language
 */
#ifndef TN_MAP_FOLD_ITEMS_H
#define TN_MAP_FOLD_ITEMS_H

#include "map/lang/infer.h"

/* All elements, flat, in the arena; TN_ITEM_UNKNOWN for more than TN_FOLD_MAX,
 * for types that have no items, and for bytes that cannot be read (writing them
 * will fail).  False: out of memory, as `error` says. */
bool tn_fold_items(const struct tn_elements *elements, struct tn_arena *arena,
                   struct tn_item *out, struct tn_error *error);

#endif
