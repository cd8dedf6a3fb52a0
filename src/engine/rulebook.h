/* rulebook.h - the struct behind a rulebook handle */
#ifndef TN_ENGINE_RULEBOOK_H
#define TN_ENGINE_RULEBOOK_H

#include <tenon/rules.h>

#include "map/lang/rule_sets.h"

struct tn_rulebook {
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_lang_file *files;
    uint32_t             file_count;
    struct tn_rule_cache cache; /* for conversions, if the book has our rules;
                                   its rules are the files                    */
    bool is_ours;
};

#endif
