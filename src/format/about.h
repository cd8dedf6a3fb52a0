/*
 * about.h - texts of a file about its model, with keys
 *
 * Producer, version, documentation, licence, metadata: texts that are not part
 * of the graph.  A format lists them (describe()), and a writer that has a
 * place for such texts takes all of them, whatever format they come from.
 *
 * A field of the source that is not text with a key gets one:
 * "onnx.doc_string", "tensorflow.version".  A writer of that format puts it
 * back into the field.
 */
#ifndef TN_FORMAT_ABOUT_H
#define TN_FORMAT_ABOUT_H

#include <tenon/model.h>

#include "base/intern.h"
#include "base/memory.h"

struct tn_about {
    struct tn_arena *arena;
    struct tn_error *error;
    struct tn_intern keys;
    struct tn_list   items;  /* struct tn_fact: each key once, texts in UTF-8 */
    uint64_t         others; /* texts that were left out: not UTF-8, or the key
                                was there already                             */
};

void tn_about_init(struct tn_about *about, struct tn_arena *arena,
                   struct tn_error *error);
void tn_about_done(struct tn_about *about);

/* An entry of metadata; it is kept even if its value is empty.  Texts are
 * borrowed. */
void tn_about_add(struct tn_about *about, struct tn_bytes key,
                  struct tn_bytes value);

/* A field, which is left out if it is empty or 0. */
void tn_about_add_text(struct tn_about *about, const char *key,
                       struct tn_bytes value);
void tn_about_add_number(struct tn_about *about, const char *key,
                         int64_t number);

/* The value of a key; empty if there is none. */
struct tn_bytes tn_about_find(const struct tn_about *about, const char *key);
bool            tn_about_has(const struct tn_about *about, struct tn_bytes key);

#endif
