/* byte_find.h - looking for a byte in a view */
#ifndef TN_BASE_BYTE_FIND_H
#define TN_BASE_BYTE_FIND_H

#include "base/byte_view.h"

/* The first such byte, or NULL.  Unlike memchr() it accepts a view whose data
 * is NULL, as that of every empty view may be. */
static inline const uint8_t *tn_bytes_find(struct tn_bytes a, int byte)
{
    return a.size ? memchr(a.data, byte, a.size) : NULL;
}

#endif
