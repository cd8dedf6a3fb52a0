/*
 * edit_signature.c - named ways to call a model
 *
 *   set-signature NAME METHOD KEY=VALUE TYPE DIMS ... -> KEY=VALUE TYPE DIMS ...
 *   remove-signature NAME
 */
#include "base/given.h"
#include "base/sized.h"
#include "engine/edit_action.h"
#include "ir/changes.h"

/* ---- copies ------------------------------------------------------------- */

/* What the base calls a value that may have another name now. */
static struct tn_bytes name_before(const struct tn_draft *draft,
                                   struct tn_bytes name, struct tn_arena *arena,
                                   struct tn_error *error)
{
    uint32_t        output = 0;
    struct tn_bytes now    = draft->dialect && draft->dialect->producer_of
                                 ? draft->dialect->producer_of(name, &output)
                                 : name;

    for (uint64_t i = 0; i < draft->renames.count; i++) {
        const struct tn_draft_rename *row =
            tn_list_at(&draft->renames, struct tn_draft_rename, i);
        if (row->graph != 0 || !tn_bytes_equal(row->now, now))
            continue;
        const char *text = tn_text_format(
            arena, error, "%.*s%.*s", TN_FMT(row->was),
            (int)(name.size - now.size), (const char *)name.data + now.size);
        return text ? tn_text(text) : tn_bytes(NULL, 0);
    }
    return tn_bytes_dup(arena, name, error);
}

static struct tn_io_list copy_io_list(struct tn_edit   *edit,
                                      struct tn_io_list list,
                                      struct tn_error  *error)
{
    struct tn_arena *arena = &edit->store->model.arena;
    struct tn_io    *made  = tn_new(arena, struct tn_io, list.count, error);

    for (uint32_t i = 0; made && i < list.count; i++) {
        const struct tn_io *from = &list.items[i];
        struct tn_dim      *dims =
            tn_new(arena, struct tn_dim, from->has_rank ? from->rank : 0, error);

        made[i] = (struct tn_io){
            .name     = name_before(&edit->draft, from->name, arena, error),
            .key      = tn_bytes_dup(arena, from->key, error),
            .dtype    = from->dtype,
            .has_rank = from->has_rank,
            .rank     = from->has_rank ? from->rank : 0,
            .dims     = dims,
            .note     = "",
        };
        for (uint32_t k = 0; dims && k < made[i].rank; k++) {
            dims[k].value  = from->dims[k].value;
            dims[k].symbol = tn_bytes_dup(arena, from->dims[k].symbol, error);
        }
    }
    return (struct tn_io_list){ made ? list.count : 0, made };
}

/* ---- setting ------------------------------------------------------------ */

static struct tn_draft_signature *row_of(struct tn_edit  *edit,
                                         struct tn_bytes  name,
                                         struct tn_error *error)
{
    struct tn_list *rows = &edit->draft.signatures;

    for (uint64_t i = 0; i < rows->count; i++) {
        struct tn_draft_signature *row =
            tn_list_at(rows, struct tn_draft_signature, i);
        if (tn_bytes_equal(row->now.name, name))
            return row;
    }
    return tn_list_push(rows, struct tn_draft_signature, error);
}

static enum tn_status expect_keys(struct tn_edit *edit, struct tn_io_list list,
                                  const char *what, struct tn_error *error)
{
    struct tn_arena  arena;
    struct tn_intern keys;

    tn_arena_init(&arena, &edit->store->memory);
    tn_intern_init(&keys, &arena);
    for (uint32_t i = 0; i < list.count && !tn_failed(error); i++) {
        struct tn_bytes key = list.items[i].key;
        if (!key.size || !list.items[i].name.size)
            tn_error_set(error, TN_INVALID, TN_NOWHERE,
                         "%s %u of a signature has no %s", what, (unsigned)i,
                         key.size ? "value" : "key");
        else if (tn_intern_borrow(&keys, key, error) < i)
            tn_error_set(error, TN_INVALID, TN_NOWHERE,
                         "two %ss of a signature have the key '%.*s'", what,
                         TN_FMT(key));
    }
    tn_intern_done(&keys);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_edit_set_signature(struct tn_edit            *edit,
                                     const struct tn_signature *signature,
                                     struct tn_error           *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(signature, "signature", error);
    struct tn_arena *arena = &edit->store->model.arena;
    struct tn_bytes  name  = tn_bytes_dup(arena, signature->name, error);

    if (!name.data)
        return error->status;
    if (!name.size)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a signature must have a name");
    TN_TRY(expect_keys(edit, signature->inputs, "input", error));
    TN_TRY(expect_keys(edit, signature->outputs, "output", error));
    TN_TRY(tn_edit_set_text(edit, TN_TEXT_SIGNATURE, (const char *)name.data,
                            "", error));
    struct tn_draft_signature *row = row_of(edit, name, error);
    if (!row)
        return error->status;
    *row = (struct tn_draft_signature){
        .now = { .name    = name,
                 .method  = tn_bytes_dup(arena, signature->method, error),
                 .inputs  = copy_io_list(edit, signature->inputs, error),
                 .outputs = copy_io_list(edit, signature->outputs, error) }
    };
    return error->status;
}

static const struct tn_signature *find_signature(const struct tn_edit *edit,
                                                 const char           *name)
{
    for (uint64_t i = 0; i < edit->draft.signatures.count; i++) {
        const struct tn_draft_signature *row =
            tn_list_at(&edit->draft.signatures, struct tn_draft_signature, i);
        if (tn_bytes_is(row->now.name, name))
            return row->is_removed ? NULL : &row->now;
    }
    const struct tn_model *base = edit->draft.base;
    for (uint64_t i = 0; base && i < base->signatures.count; i++) {
        const struct tn_signature *row =
            tn_list_at(&base->signatures, struct tn_signature, i);
        if (tn_bytes_is(row->name, name))
            return row;
    }
    return NULL;
}

enum tn_status tn_edit_remove_signature(struct tn_edit *edit, const char *name,
                                        struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    if (!find_signature(edit, name))
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no signature '%s'", name);
    TN_TRY(tn_edit_set_text(edit, TN_TEXT_SIGNATURE, name, NULL, error));
    struct tn_draft_signature *row = row_of(edit, tn_text(name), error);
    if (!row)
        return error->status;
    *row = (struct tn_draft_signature){
        .now.name = tn_bytes_dup(&edit->store->model.arena, tn_text(name), error),
        .is_removed = true
    };
    return error->status;
}

/* ---- actions ------------------------------------------------------------ */

/* KEY VALUE TYPE DIMS, as many as `count` words give. */
static enum tn_status read_list(struct tn_edit *edit, struct tn_io_list old,
                                const char *const *words, uint32_t count,
                                struct tn_io_list *list, struct tn_error *error)
{
    if (count % 4 != 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "for each its key, value, type and dimensions");
    struct tn_io *made = tn_new(&edit->store->model.arena, struct tn_io,
                                count / 4, error);
    for (uint32_t i = 0; made && i < count / 4; i++) {
        TN_TRY(tn_edit_read_io(edit, old, words + 4 * (size_t)i + 1, &made[i],
                               error));
        made[i].key = tn_text(words[4 * (size_t)i]);
    }
    *list = (struct tn_io_list){ count / 4, made };
    return error->status;
}

enum tn_status tn_edit_act_set_signature(struct tn_edit        *edit,
                                         const struct tn_words *words,
                                         struct tn_error       *error)
{
    const struct tn_signature *old = find_signature(edit, words->items[0]);
    struct tn_signature        now = { .name   = tn_text(words->items[0]),
                                       .method = tn_text(words->items[1]) };
    uint32_t                   at  = 2;

    while (at < words->count && strcmp(words->items[at], "->") != 0)
        at++;
    if (at == words->count)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "there is no -> between inputs and outputs");
    struct tn_io_list none = { 0, NULL };
    TN_TRY(read_list(edit, old ? old->inputs : none, words->items + 2, at - 2,
                     &now.inputs, error));
    TN_TRY(read_list(edit, old ? old->outputs : none, words->items + at + 1,
                     words->count - at - 1, &now.outputs, error));
    return tn_edit_set_signature(edit, &now, error);
}

enum tn_status tn_edit_act_remove_signature(struct tn_edit        *edit,
                                            const struct tn_words *words,
                                            struct tn_error       *error)
{
    return tn_edit_remove_signature(edit, words->items[0], error);
}
