/* value_findings.h - findings about values, at the nodes that use them */
#ifndef TN_IR_VALUE_FINDINGS_H
#define TN_IR_VALUE_FINDINGS_H

#include "ir/vocab_check.h"

/* Where findings go. */
struct tn_value_findings {
    const struct tn_model *model;
    struct tn_report      *report;
    const char            *file;
    bool is_note; /* findings are notes: the code may never run               */
};

/* An error (or a note) at the node, with its byte offset and path. */
void tn_value_complain(const struct tn_value_findings *to, uint32_t op,
                       const char *rule, const char *format, ...)
    TN_PRINTF(4, 5);

/* The name of a value, cut to what a message has room for. */
struct tn_bytes tn_value_short_name(const struct tn_model *model,
                                    uint32_t               value);

#endif
