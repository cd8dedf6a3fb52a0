/*
 * losses.h - what a conversion could not keep, as text and as JSON
 *
 *   struct cli_losses losses = { 0 };
 *   ... .loss = cli_losses_add, .loss_context = &losses ...
 *   cli_losses_print(&losses, out);
 *   cli_losses_put(&losses, &json);
 *   cli_losses_done(&losses);
 *
 * A thousand tensors may be affected in the same way.  The text names each
 * reason once, with the first place and the number of places; JSON lists all
 * places.
 */
#ifndef CLI_LOSSES_H
#define CLI_LOSSES_H

#include <tenon/verbs.h>

#include "json.h"
#include "text.h"

struct cli_losses {
    struct cli_loss {
        struct cli_text where, what;
        struct cli_text places; /* all of them, each followed by a zero byte */
        const char     *kind;
        uint64_t        count;
    } * kinds;
    size_t count, capacity;
};

tn_on_loss cli_losses_add;

/* Prints a line on standard error for each kind; `out` is the file that lacks
 * it. */
void cli_losses_print(const struct cli_losses *losses, const char *out);

/* "lost": [{"where", "what", "count"}, ...]; NULL puts an empty list. */
void cli_losses_put(const struct cli_losses *losses, struct cli_json *json);

/* "notes": [WHAT, ...]: what is worth mentioning but is not a loss, collected
 * in the same way.  NULL: an empty list. */
void cli_notes_put(const struct cli_losses *notes, struct cli_json *json);

void cli_losses_done(struct cli_losses *losses);

#endif
