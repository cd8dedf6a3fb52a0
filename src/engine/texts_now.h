/*
 * texts_now.h - the texts about a model, including changes by edits
 *
 * describe() of a format reads the file, and an edit that was not written yet
 * is in no file.
 */
#ifndef TN_ENGINE_TEXTS_NOW_H
#define TN_ENGINE_TEXTS_NOW_H

#include "format/format.h"
#include "ir/changes.h"

/* The keys of describe() for texts that have actions of their own. */
struct tn_text_field {
    const char *key, *action;
    uint8_t     kind; /* enum tn_text_kind                                   */
};

/* NULL if the key is not one of these. */
const struct tn_text_field *tn_text_field_of(struct tn_bytes key);

/* All texts about the model, each key once. */
void tn_describe_now(const struct tn_model *model, struct tn_about *about);

#endif
