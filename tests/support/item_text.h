/* item_text.h - what a rule computes, as text, for tests of rules */
#ifndef TN_TESTS_ITEM_TEXT_H
#define TN_TESTS_ITEM_TEXT_H

#include <stdio.h>

#include "map/lang/lang_item.h"

/* An item as text: 1, 0.5, "s", float32, [1, ?], none, value. */
static inline void print_item(struct tn_item item, char *to, size_t size)
{
    size_t used = 0;

    switch (item.kind) {
    case TN_ITEM_NONE: snprintf(to, size, "none"); break;
    case TN_ITEM_UNKNOWN: snprintf(to, size, "?"); break;
    case TN_ITEM_BOOL:
        snprintf(to, size, "%s", item.of.number ? "true" : "false");
        break;
    case TN_ITEM_INT:
        snprintf(to, size, "%lld", (long long)item.of.number);
        break;
    case TN_ITEM_FLOAT:
        snprintf(to, size, "%g%s", item.of.real,
                 item.of.real == (double)(long)item.of.real ? ".0" : "");
        break;
    case TN_ITEM_STRING:
        snprintf(to, size, "\"%.*s\"", TN_FMT(tn_item_bytes(item)));
        break;
    case TN_ITEM_DTYPE:
        snprintf(to, size, "%s%s", item.of.number >> 8 ? "seq:" : "",
                 tn_dtype_name((enum tn_dtype)(item.of.number & 0xff)));
        break;
    case TN_ITEM_LIST:
        used += (size_t)snprintf(to, size, "[");
        for (uint32_t i = 0; i < item.count && used + 40 < size; i++) {
            used +=
                (size_t)snprintf(to + used, size - used, "%s", i ? ", " : "");
            print_item(item.of.items[i], to + used, size - used);
            used += strlen(to + used);
        }
        snprintf(to + used, size - used, "]");
        break;
    default: snprintf(to, size, "value");
    }
}

#endif
