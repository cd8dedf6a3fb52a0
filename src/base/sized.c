/* sized.c - structs of options that callers of other versions filled in */
#include "base/sized.h"

#include <stdint.h>
#include <string.h>

enum tn_status tn_sized_take(void *to, size_t size, size_t first,
                             const void *from, struct tn_error *error)
{
    const uint8_t *bytes = from;
    size_t         given;

    memcpy(&given, from, sizeof given);
    if (given == 0)
        given = first;
    if (given < first)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a struct of options has size %zu; set it with its "
                            "TN_..._INIT: at least %zu, or 0",
                            given, first);
    for (size_t i = size; i < given; i++)
        if (bytes[i])
            return tn_error_set(
                error, TN_UNSUPPORTED, TN_NOWHERE,
                "byte %zu of a struct of options is set, and this "
                "version of the library knows %zu bytes of it; "
                "leave newer fields zero",
                i, size);
    memset(to, 0, size);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof size);
    return TN_OK;
}
