/* vocab_lines.h - the lines and words of a vocabulary, for vocab.c, vocab_op.c
 * and vocab_fact.c */
#ifndef TN_IR_VOCAB_LINES_H
#define TN_IR_VOCAB_LINES_H

#include "base/cursor.h"
#include "ir/vocab.h"

/* One "op" line and the indented ones below it. */
struct tn_vocab_row {
    struct tn_bytes           name;
    uint32_t                  since;
    uint64_t                  offset, length;
    const struct tn_vocab_op *op; /* once parsed                              */
};

struct tn_vocab_set {
    struct tn_bytes name;
    uint64_t        types;
};

/* One "facts" line and the indented ones below it. */
struct tn_vocab_facts {
    struct tn_bytes names; /* of operators, with spaces between them          */
    uint32_t        domain;
    uint32_t        least, most; /* versions of them                          */
    uint64_t        offset, length; /* of the indented lines                  */
    uint64_t        used;           /* bits: lines that an operator has       */
};

/* ---- words; each steps over the spaces after it ------------------------- */

void tn_vocab_spaces(struct tn_cursor *c);

/* The next byte, 0 at the end. */
static inline uint8_t tn_vocab_peek(const struct tn_cursor *c)
{
    return c->at < c->end ? *c->at : 0;
}

/* Step over `mark` if it comes next; expect: or fail. */
bool tn_vocab_accept(struct tn_cursor *c, const char *mark);
bool tn_vocab_expect(struct tn_cursor *c, const char *mark);

/* Letters, digits, '_' and '.'; empty is a failure that says `what`.  glued:
 * spaces after it are left alone. */
struct tn_bytes tn_vocab_name(struct tn_cursor *c, const char *what);
struct tn_bytes tn_vocab_glued_name(struct tn_cursor *c, const char *what);

/* A version: a decimal number below 2^31. */
uint32_t tn_vocab_number(struct tn_cursor *c);

/* Nothing but a comment may follow on the line. */
void tn_vocab_end_line(struct tn_cursor *c);

/* "{floats seq(int8) map(int64,string)}" */
void tn_vocab_types_read(const struct tn_vocab *vocab, struct tn_cursor *c,
                         struct tn_vocab_types *types);
void tn_vocab_type_read(const struct tn_vocab *vocab, struct tn_cursor *c,
                        struct tn_vocab_types *types);

/* The types of a plain name: a type or a set; 0 and a failure: neither. */
uint64_t tn_vocab_plain_types(const struct tn_vocab *vocab,
                              struct tn_cursor      *c);

/* A line "where ..." or "makes ..." about the operator.  NULL: it speaks of
 * something that the operator does not have, or has failed. */
struct tn_vocab_fact *tn_vocab_fact_read(const struct tn_vocab *vocab,
                                         struct tn_cursor      *line,
                                         struct tn_vocab_op    *op);

/* Parse the lines of an operator. */
struct tn_vocab_op *tn_vocab_op_read(const struct tn_vocab *vocab,
                                     struct tn_cursor      *c);

#endif
