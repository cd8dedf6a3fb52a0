/*
 * convert_losses.h - the losses of a conversion, in one list
 *
 *   struct tn_losses losses;
 *   tn_losses_init(&losses, memory, convert, error);
 *   ... every part of the conversion calls tn_losses_add(&losses, ...) ...
 *   status = tn_losses_refuse(&losses);   strict: a loss is a failure
 *   tn_losses_done(&losses);
 *
 * Code that loses something reports it through a tn_on_loss callback, which is
 * tn_losses_add() with the list as its context.  The caller's own callback, the
 * count of the summary and the receipt all use this list.
 */
#ifndef TN_ENGINE_CONVERT_LOSSES_H
#define TN_ENGINE_CONVERT_LOSSES_H

#include <tenon/verbs.h>

#include "base/memory.h"

struct tn_loss {
    const char *where; /* may be empty                                        */
    const char *what;
};

struct tn_losses {
    struct tn_list                   rows; /* struct tn_loss                  */
    struct tn_arena                  arena;
    const struct tn_convert_options *convert;
    struct tn_error                 *error;
    const struct tn_list *files_taken; /* struct tn_bytes: files of the folder
                                          "assets" that are no loss; NULL: none
                                                                              */
};

void tn_losses_init(struct tn_losses *losses, struct tn_memory *memory,
                    const struct tn_convert_options *convert,
                    struct tn_error                 *error);
void tn_losses_done(struct tn_losses *losses);

tn_on_loss tn_losses_add;

/* UNSUPPORTED if the caller wants a strict conversion and something would be
 * lost; the error names the first loss. */
enum tn_status tn_losses_refuse(const struct tn_losses *losses);

#endif
