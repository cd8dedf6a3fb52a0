/*
 * edit_about.c - actions on texts about a model
 *
 *   metadata KEY VALUE    remove-metadata KEY    doc TEXT    producer NAME
 *   producer-version TEXT    domain TEXT    model-version N    graph-name NAME
 *
 * A format says which of them it has a place for (tn_format.texts).
 */
#include <inttypes.h>

#include "base/given.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "engine/edit_action.h"
#include "ir/changes.h"

static const char *const kind_names[] = {
    [TN_TEXT_METADATA]         = "metadata",
    [TN_TEXT_DOC]              = "doc",
    [TN_TEXT_PRODUCER]         = "producer",
    [TN_TEXT_PRODUCER_VERSION] = "producer-version",
    [TN_TEXT_DOMAIN]           = "domain",
    [TN_TEXT_VERSION]          = "model-version",
    [TN_TEXT_GRAPH_NAME]       = "graph-name",
    [TN_TEXT_SIGNATURE]        = "signatures",
};

static enum tn_status expect_place(const struct tn_edit *edit,
                                   enum tn_text_kind     kind,
                                   struct tn_error      *error)
{
    const struct tn_format *format = edit->store->format;

    if (format->texts >> kind & 1)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%s has no place for %s", format->name,
                        kind_names[kind]);
}

static struct tn_text_change *find_text(struct tn_edit   *edit,
                                        enum tn_text_kind kind, const char *key)
{
    for (uint64_t i = 0; i < edit->draft.texts.count; i++) {
        struct tn_text_change *text =
            tn_list_at(&edit->draft.texts, struct tn_text_change, i);
        if (text->kind == kind && tn_bytes_is(text->key, key))
            return text;
    }
    return NULL;
}

enum tn_status tn_edit_set_text(struct tn_edit *edit, enum tn_text_kind kind,
                                const char *key, const char *value,
                                struct tn_error *error)
{
    struct tn_arena *arena = &edit->store->model.arena;

    TN_TRY(expect_place(edit, kind, error));
    if (kind == TN_TEXT_METADATA && value && !key[0])
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a key of the metadata has at least one byte");
    if (!tn_utf8_is_valid(tn_text(key)) ||
        (value && !tn_utf8_is_valid(tn_text(value))))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "this text is not valid UTF-8");
    struct tn_text_change *text = find_text(edit, kind, key);
    bool may_miss               = text && (text->value.data || text->may_miss);
    if (!text)
        text = tn_list_push(&edit->draft.texts, struct tn_text_change, error);
    if (!text)
        return error->status;
    *text = (struct tn_text_change){
        .kind     = (uint8_t)kind,
        .key      = tn_bytes_dup(arena, tn_text(key), error),
        .value    = value ? tn_bytes_dup(arena, tn_text(value), error)
                          : tn_bytes(NULL, 0),
        .may_miss = may_miss,
    };
    return error->status;
}

enum tn_status tn_edit_set_metadata(struct tn_edit *edit, const char *key,
                                    const char *value, struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(key, "key", error);
    return tn_edit_set_text(edit, TN_TEXT_METADATA, key, value, error);
}

enum tn_status tn_edit_act_metadata(struct tn_edit        *edit,
                                    const struct tn_words *words,
                                    struct tn_error       *error)
{
    return tn_edit_set_text(edit, TN_TEXT_METADATA, words->items[0], words->items[1],
                    error);
}

/* The writer checks whether there is such a key. */
enum tn_status tn_edit_act_remove_metadata(struct tn_edit        *edit,
                                           const struct tn_words *words,
                                           struct tn_error       *error)
{
    return tn_edit_set_text(edit, TN_TEXT_METADATA, words->items[0], NULL, error);
}

static enum tn_status set_plain(struct tn_edit *edit, enum tn_text_kind kind,
                                const struct tn_words *words,
                                struct tn_error       *error)
{
    const char *word = words->items[0];

    return tn_edit_set_text(edit, kind, "", word[0] ? word : NULL, error);
}

enum tn_status tn_edit_act_doc(struct tn_edit        *edit,
                               const struct tn_words *words,
                               struct tn_error       *error)
{
    return set_plain(edit, TN_TEXT_DOC, words, error);
}

enum tn_status tn_edit_act_producer(struct tn_edit        *edit,
                                    const struct tn_words *words,
                                    struct tn_error       *error)
{
    return set_plain(edit, TN_TEXT_PRODUCER, words, error);
}

enum tn_status tn_edit_act_producer_version(struct tn_edit        *edit,
                                            const struct tn_words *words,
                                            struct tn_error       *error)
{
    return set_plain(edit, TN_TEXT_PRODUCER_VERSION, words, error);
}

enum tn_status tn_edit_act_domain(struct tn_edit        *edit,
                                  const struct tn_words *words,
                                  struct tn_error       *error)
{
    return set_plain(edit, TN_TEXT_DOMAIN, words, error);
}

enum tn_status tn_edit_act_model_version(struct tn_edit        *edit,
                                         const struct tn_words *words,
                                         struct tn_error       *error)
{
    int64_t number;

    if (words->items[0][0] &&
        !tn_int64_parse(tn_text(words->items[0]), &number))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "'%s' is not a whole number", words->items[0]);
    return set_plain(edit, TN_TEXT_VERSION, words, error);
}

enum tn_status tn_edit_act_graph_name(struct tn_edit        *edit,
                                      const struct tn_words *words,
                                      struct tn_error       *error)
{
    TN_TRY(expect_place(edit, TN_TEXT_GRAPH_NAME, error));
    if (!words->items[0][0])
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a graph must have a name");
    TN_TRY(tn_draft_touch_graph(&edit->draft, edit->graph, error));
    tn_draft_graph_at(&edit->draft, edit->graph)->name = tn_bytes_dup(
        &edit->store->model.arena, tn_text(words->items[0]), error);
    return error->status;
}
