/* convert_losses.c - what a conversion leaves behind, in one list */
#include "engine/convert_losses.h"

#include <inttypes.h>

void tn_losses_init(struct tn_losses *losses, struct tn_memory *memory,
                    const struct tn_convert_options *convert,
                    struct tn_error                 *error)
{
    *losses = (struct tn_losses){ .convert = convert, .error = error };
    tn_arena_init(&losses->arena, memory);
    tn_list_init(&losses->rows, memory, sizeof(struct tn_loss));
}

void tn_losses_done(struct tn_losses *losses)
{
    tn_list_done(&losses->rows);
    tn_arena_done(&losses->arena);
}

void tn_losses_hear(void *context, uint64_t offset, const char *where,
                    const char *what)
{
    struct tn_losses *losses = context;
    struct tn_loss   *row =
        tn_list_push(&losses->rows, struct tn_loss, losses->error);

    if (!row)
        return;
    row->where = tn_text_dup(&losses->arena, where, losses->error);
    row->what  = tn_text_dup(&losses->arena, what, losses->error);
    if (losses->convert->loss)
        losses->convert->loss(losses->convert->loss_context, offset, where,
                              what);
}

enum tn_status tn_losses_judge(const struct tn_losses *losses)
{
    uint64_t count = losses->rows.count;

    if (tn_failed(losses->error) || !losses->convert->is_strict || !count)
        return losses->error->status;
    const struct tn_loss *first =
        tn_list_at(&losses->rows, struct tn_loss, 0);
    return tn_error_set(losses->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%" PRIu64 " %s would be lost, which a strict "
                        "conversion does not allow: %.40s%s%.80s%s",
                        count, count == 1 ? "thing" : "things", first->where,
                        first->where[0] ? ": " : "", first->what,
                        count == 1 ? "" : ", ...");
}
