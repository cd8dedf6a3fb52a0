/* losses.c - what a conversion could not keep, as text and as JSON */
#include "losses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "print.h"

enum { MOST_KINDS = 1000 };

static bool is_same(const struct cli_text *text, const char *string)
{
    return text->size == strlen(string) &&
           memcmp(text->data, string, text->size) == 0;
}

static struct cli_loss *add_kind(struct cli_losses *losses)
{
    if (losses->count == losses->capacity) {
        size_t           capacity = losses->capacity * 2 + 8;
        struct cli_loss *kinds    = cli_allocate(capacity, sizeof kinds[0]);
        if (losses->count > 0)
            memcpy(kinds, losses->kinds, losses->count * sizeof kinds[0]);
        free(losses->kinds);
        losses->kinds    = kinds;
        losses->capacity = capacity;
    }
    struct cli_loss *kind = &losses->kinds[losses->count++];
    *kind                 = (struct cli_loss){ .count = 0 };
    return kind;
}

/* Losses of one kind are reported one after the other, so the last kind is
 * compared first; there are few others. */
static struct cli_loss *find_kind(struct cli_losses *losses, const char *what)
{
    for (size_t i = losses->count; i > 0; i--)
        if (is_same(&losses->kinds[i - 1].what, what))
            return &losses->kinds[i - 1];
    /* of so many kinds, the last stands for the others */
    return losses->count < MOST_KINDS ? NULL
                                      : &losses->kinds[losses->count - 1];
}

void cli_losses_add(void *context, uint64_t offset, const char *where,
                    const char *what)
{
    struct cli_losses *losses = context;
    struct cli_loss   *kind   = find_kind(losses, what);

    (void)offset;
    if (kind == NULL) {
        kind = add_kind(losses);
        cli_text_add(&kind->where, where);
        cli_text_add(&kind->what, what);
        kind->kind = tn_loss_kind(what);
    }
    cli_text_put(&kind->places, where, strlen(where) + 1);
    kind->count++;
}

/* "w.safetensors: words and 3 more: left behind: safetensors has no strings" */
static void print_kind(const char *out, const struct cli_loss *kind)
{
    struct cli_text text = { 0 };

    cli_text_add(&text, "tenon: ");
    cli_text_safe(&text, cli_bytes(out));
    cli_text_add(&text, ": ");
    cli_text_safe(&text, cli_text_view(&kind->where));
    if (kind->count > 1) {
        cli_text_add(&text, " and ");
        cli_text_number(&text, kind->count - 1);
        cli_text_add(&text, " more");
    }
    if (kind->where.size > 0 || kind->count > 1)
        cli_text_add(&text, ": ");
    cli_text_safe(&text, cli_text_view(&kind->what));
    cli_text_add(&text, "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

void cli_losses_print(const struct cli_losses *losses, const char *out)
{
    for (size_t i = 0; i < losses->count; i++)
        print_kind(strcmp(out, "-") == 0 ? "standard output"
                                         : cli_path_shown(out),
                   &losses->kinds[i]);
}

static void put_places(const struct cli_loss *kind, struct cli_json *json)
{
    const char *at = kind->places.data, *end = at + kind->places.size;

    cli_json_key(json, "places");
    cli_json_open_flat(json, '[');
    for (; at < end; at += strlen(at) + 1)
        cli_json_string(json, at);
    cli_json_close(json, ']');
}

void cli_losses_put(const struct cli_losses *losses, struct cli_json *json)
{
    cli_json_key(json, "lost");
    cli_json_open(json, '[');
    for (size_t i = 0; losses != NULL && i < losses->count; i++) {
        const struct cli_loss *kind = &losses->kinds[i];
        cli_json_open_flat(json, '{');
        cli_json_put_string(json, "kind", kind->kind);
        cli_json_put_bytes(json, "where", cli_text_view(&kind->where));
        cli_json_put_bytes(json, "what", cli_text_view(&kind->what));
        cli_json_put_number(json, "count", kind->count);
        put_places(kind, json);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_notes_put(const struct cli_losses *notes, struct cli_json *json)
{
    cli_json_key(json, "notes");
    cli_json_open_flat(json, '[');
    for (size_t i = 0; notes != NULL && i < notes->count; i++)
        cli_json_bytes(json, cli_text_view(&notes->kinds[i].what));
    cli_json_close(json, ']');
}

void cli_losses_done(struct cli_losses *losses)
{
    for (size_t i = 0; i < losses->count; i++) {
        cli_text_done(&losses->kinds[i].where);
        cli_text_done(&losses->kinds[i].what);
        cli_text_done(&losses->kinds[i].places);
    }
    free(losses->kinds);
    *losses = (struct cli_losses){ 0 };
}
