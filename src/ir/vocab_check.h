/*
 * vocab_check.h - the operators of a model against a vocabulary
 *
 * Rules: unknown-op, deprecated-op, wrong-arity, missing-input,
 * unknown-attribute, wrong-attribute-type, missing-attribute,
 * bad-attribute-value.  Each finding has the byte offset of the node (or of the
 * attribute) and its path.
 */
#ifndef TN_IR_VOCAB_CHECK_H
#define TN_IR_VOCAB_CHECK_H

#include "base/report.h"
#include "ir/model_tables.h"
#include "ir/vocab.h"

/* How a format uses a vocabulary.  A scope is what shares versions and
 * functions: graphs that give the same number are in the same one. */
struct tn_vocab_use {
    struct tn_vocab *vocab;
    void            *context; /* of the calls below                           */
    uint32_t (*scope)(void *context, uint32_t graph);

    /* The version of a domain that is in use there; -1: none is. */
    int64_t (*version)(void *context, uint32_t scope, struct tn_bytes domain);

    /* Whether ops of that kind call a function.  Asked once per kind. */
    bool (*is_call)(void *context, uint32_t scope, const struct tn_op *op);

    /* Whether an input of that op may stand for several (TensorFlow's function
     * bodies).  Asked when the count is wrong; NULL: none does. */
    bool (*has_list_input)(void *context, uint32_t op);

    const char *file;        /* of the findings; "": the main one            */
    const char *free_prefix; /* attributes that anybody may add              */
    const char *attr_word;   /* how attributes are called in paths; NULL: by
                                name, after "attr."                          */
    enum tn_finding_level unknown; /* ops of domains that are not open,
                                      and attributes                      */
    enum tn_finding_level deprecated;
};

/* `error` is for what is wrong with us: memory, or the vocabulary. */
enum tn_status tn_vocab_check(const struct tn_model     *model,
                              const struct tn_vocab_use *use,
                              struct tn_report *report, struct tn_error *error);

#endif
