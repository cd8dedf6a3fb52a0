/* vocab_builtin.c - the vocabularies that are built into the library */
#include "codec/stored.h"
#include "ir/dialect_facts.h"
#include "ir/vocab_pack.h"

bool tn_vocab_is_builtin(const char *dialect)
{
    return tn_dialect_facts(dialect)->vocabulary != NULL;
}

enum tn_status tn_vocab_open(struct tn_vocab *vocab, struct tn_arena *arena,
                             const char *dialect, struct tn_error *error)
{
    const struct tn_dialect_facts *facts = tn_dialect_facts(dialect);

    *vocab = (struct tn_vocab){ 0 };
    if (!facts->vocabulary)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no vocabulary of '%s'", dialect);
    struct tn_pack_blocks *blocks;
    struct tn_bytes        packed =
        tn_stored_open(facts->vocabulary, arena, &blocks, error);
    return packed.data ? tn_vocab_unpack(vocab, arena, packed, blocks, error)
                       : error->status;
}
