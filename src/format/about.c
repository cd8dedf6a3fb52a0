/* about.c - texts of a file about its model, with keys */
#include "format/about.h"

#include <inttypes.h>

#include "base/utf8.h"

void tn_about_init(struct tn_about *about, struct tn_arena *arena,
                   struct tn_error *error)
{
    *about = (struct tn_about){ .arena = arena, .error = error };
    tn_intern_init(&about->keys, arena);
    tn_list_init(&about->items, arena->memory, sizeof(struct tn_fact));
}

void tn_about_done(struct tn_about *about)
{
    tn_intern_done(&about->keys);
    tn_list_done(&about->items);
}

void tn_about_add(struct tn_about *about, struct tn_bytes key,
                  struct tn_bytes value)
{
    uint32_t known = tn_intern_count(&about->keys);

    if (tn_failed(about->error))
        return;
    if (!key.size || !tn_utf8_is_valid(key) || !tn_utf8_is_valid(value) ||
        tn_intern_borrow(&about->keys, key, about->error) != known) {
        about->others++;
        return;
    }
    struct tn_fact *item =
        tn_list_push(&about->items, struct tn_fact, about->error);
    if (item)
        *item = (struct tn_fact){ key, value };
}

void tn_about_add_text(struct tn_about *about, const char *key,
                       struct tn_bytes value)
{
    if (value.size)
        tn_about_add(about, tn_text(key), value);
}

void tn_about_add_number(struct tn_about *about, const char *key,
                         int64_t number)
{
    const char *text =
        number ? tn_text_format(about->arena, about->error, "%" PRId64, number)
               : NULL;

    if (text)
        tn_about_add(about, tn_text(key), tn_text(text));
}

bool tn_about_has(const struct tn_about *about, struct tn_bytes key)
{
    return tn_intern_find(&about->keys, key) != TN_NO_NAME;
}

struct tn_bytes tn_about_find(const struct tn_about *about, const char *key)
{
    uint32_t id = tn_intern_find(&about->keys, tn_text(key));

    return id == TN_NO_NAME
               ? tn_bytes(NULL, 0)
               : tn_list_at(&about->items, struct tn_fact, id)->value;
}
