/*
 * lang_code.c - the rules of a set, found by op and made ready when needed
 *
 * Nothing is prepared before a node asks for it: a model with ten kinds of ops
 * pays for ten of the rules.
 */
#include "map/lang/lang_build.h"

enum tn_status tn_code_init(struct tn_code_set *set, struct tn_memory *memory,
                            const struct tn_net *net, const char *to,
                            int64_t to_version, struct tn_error *error)
{
    *set = (struct tn_code_set){ .net        = net,
                                 .to_dialect = to,
                                 .to_version = to_version };
    tn_arena_init(&set->arena, memory);
    tn_intern_init(&set->types, &set->arena);
    tn_list_init(&set->heads, memory, sizeof(struct tn_code_head));
    tn_list_init(&set->entries, memory, sizeof(struct tn_code_entry));
    set->has_from = tn_vocab_builtin(net->dialect).size > 0;
    set->has_to   = to && tn_vocab_builtin(to).size > 0;
    if (set->has_from)
        TN_TRY(tn_vocab_open(&set->from, &set->arena, net->dialect, error));
    if (set->has_to)
        TN_TRY(tn_vocab_open(&set->to, &set->arena, to, error));
    return error->status;
}

void tn_code_done(struct tn_code_set *set)
{
    tn_list_done(&set->entries);
    tn_list_done(&set->heads);
    tn_intern_done(&set->types);
    tn_arena_done(&set->arena);
}

static struct tn_code_file *add_file(struct tn_code_set        *set,
                                     const struct tn_lang_file *file,
                                     struct tn_error           *error)
{
    struct tn_code_file *code =
        tn_new(&set->arena, struct tn_code_file, 1, error);
    if (!code)
        return NULL;
    code->file   = file;
    code->defs   = tn_new(&set->arena, const struct tn_code_def *,
                          file->defs.count, error);
    code->tables = tn_new(&set->arena, const struct tn_code_table *,
                          file->tables.count, error);
    code->macros = tn_new(&set->arena, const struct tn_code_macro *,
                          file->macros.count, error);
    return code->defs && code->tables && code->macros ? code : NULL;
}

/* The chain of an op type, made if new. */
static struct tn_code_head *head_of(struct tn_code_set *set,
                                    struct tn_bytes     type,
                                    struct tn_error    *error)
{
    uint32_t id = tn_intern_borrow(&set->types, type, error);

    if (id == TN_NO_NAME)
        return NULL;
    if (id >= set->heads.count) {
        struct tn_code_head *head =
            tn_list_push(&set->heads, struct tn_code_head, error);
        if (head)
            *head = (struct tn_code_head){ TN_NONE, TN_NONE };
        return head;
    }
    return tn_list_at(&set->heads, struct tn_code_head, id);
}

static void add_rule(struct tn_code_set *set, struct tn_code_file *file,
                     struct tn_lang_rule *rule, struct tn_error *error)
{
    struct tn_code_head  *head = head_of(set, rule->head.op, error);
    uint32_t              id   = (uint32_t)set->entries.count;
    struct tn_code_entry *entry =
        head ? tn_list_push(&set->entries, struct tn_code_entry, error) : NULL;

    if (!entry)
        return;
    *entry = (struct tn_code_entry){
        .domain = rule->head.domain, .rule = rule, .file = file, .next = TN_NONE
    };
    if (head->first == TN_NONE)
        head->first = id;
    else
        tn_list_at(&set->entries, struct tn_code_entry, head->last)->next = id;
    head->last = id;
}

int64_t tn_code_version(const struct tn_code_set *set, struct tn_bytes domain)
{
    const struct tn_list *versions = &set->net->versions;

    for (uint64_t i = 0; domain.size && i < versions->count; i++) {
        const struct tn_net_version *row =
            tn_list_at(versions, struct tn_net_version, i);
        if (tn_bytes_equal(row->domain, domain))
            return row->version;
    }
    return domain.size ? 0 : set->net->version;
}

static bool fits_version(const struct tn_code_set  *set,
                         const struct tn_lang_head *head)
{
    int64_t version = tn_code_version(set, head->domain);

    return version == 0 || (version >= head->since && version <= head->until);
}

enum tn_status tn_code_add(struct tn_code_set        *set,
                           const struct tn_lang_file *file,
                           struct tn_error           *error)
{
    const char *to = set->to_dialect ? set->to_dialect : "";
    bool        is_on =
        tn_bytes_is(file->from, set->net->dialect) && tn_bytes_is(file->to, to);
    bool is_back = set->to_dialect &&
                   tn_bytes_is(file->to, set->net->dialect) &&
                   tn_bytes_is(file->from, to);
    const struct tn_list *rules = is_on ? &file->rules : &file->back;

    if (!is_on && !is_back)
        return error->status;
    struct tn_code_file *code = add_file(set, file, error);
    for (uint64_t i = 0; code && i < rules->count; i++) {
        struct tn_lang_rule *rule = tn_list_at(rules, struct tn_lang_rule, i);
        if (fits_version(set, &rule->head))
            add_rule(set, code, rule, error);
        else
            head_of(set, rule->head.op, error);
    }
    return error->status;
}

static bool same_domain(const struct tn_code_set *set, struct tn_bytes a,
                        struct tn_bytes b)
{
    if (tn_bytes_equal(a, b))
        return true;
    return set->has_from && tn_vocab_domain(&set->from, a) &&
           tn_vocab_domain(&set->from, a) == tn_vocab_domain(&set->from, b);
}

/* The rules of one op and domain, linked in order as they are made. */
static const struct tn_code_rule *make_chain(struct tn_code_set *set,
                                             uint32_t            first,
                                             struct tn_bytes     domain,
                                             struct tn_error    *error)
{
    struct tn_code_rule *top = NULL, *last = NULL;

    for (uint32_t i = first; i != TN_NONE;) {
        struct tn_code_entry *entry =
            tn_list_at(&set->entries, struct tn_code_entry, i);
        i = entry->next;
        if (!same_domain(set, entry->domain, domain))
            continue;
        entry->code = tn_build_rule(set, entry, error);
        if (!entry->code)
            return NULL;
        if (last)
            last->next = entry->code;
        else
            top = entry->code;
        last = entry->code;
    }
    return top;
}

const struct tn_code_rule *tn_code_find(struct tn_code_set *set,
                                        struct tn_bytes     type,
                                        struct tn_bytes     domain,
                                        struct tn_error    *error)
{
    uint32_t id = tn_intern_find(&set->types, type);

    if (id == TN_NO_NAME)
        return NULL;
    uint32_t first = tn_list_at(&set->heads, struct tn_code_head, id)->first;
    for (uint32_t i = first; i != TN_NONE;) {
        const struct tn_code_entry *entry =
            tn_list_at(&set->entries, struct tn_code_entry, i);
        if (same_domain(set, entry->domain, domain))
            return entry->code ? entry->code
                               : make_chain(set, first, domain, error);
        i = entry->next;
    }
    return NULL;
}

bool tn_code_knows(const struct tn_code_set *set, struct tn_bytes type)
{
    return tn_intern_find(&set->types, type) != TN_NO_NAME;
}

const struct tn_vocab_op *tn_code_target(struct tn_code_set *set,
                                         struct tn_bytes     domain,
                                         struct tn_bytes     type,
                                         struct tn_error    *error)
{
    int64_t version = domain.size ? 0 : set->to_version;

    if (!set->has_to)
        return NULL;
    return tn_vocab_find(&set->to, domain, type, version ? version : INT64_MAX,
                         error);
}
