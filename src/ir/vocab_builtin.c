/* vocab_builtin.c - the vocabularies that are built into the library */
#include "ir/dialect_facts.h"
#include "ir/vocab_pack.h"

struct tn_bytes tn_vocab_builtin(const char *dialect)
{
    const struct tn_dialect_facts *facts = tn_dialect_facts(dialect);

    return tn_bytes(facts->vocabulary,
                    facts->vocabulary ? *facts->vocabulary_size : 0);
}

enum tn_status tn_vocab_open(struct tn_vocab *vocab, struct tn_arena *arena,
                             const char *dialect, struct tn_error *error)
{
    const struct tn_dialect_facts *facts = tn_dialect_facts(dialect);

    if (!facts->vocabulary)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no vocabulary of '%s'", dialect);
    return tn_vocab_unpack(
        vocab, arena, tn_vocab_builtin(dialect),
        tn_bytes(facts->packed_vocabulary, *facts->packed_vocabulary_size),
        error);
}
