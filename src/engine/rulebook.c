/* rulebook.c - files of our rule language, opened, listed and checked */
#include "engine/rulebook.h"

#include <stdio.h>

#include "base/sized.h"
#include "engine/read_file.h"
#include "ir/dialect_facts.h"
#include "map/lang/lang_check.h"
#include "map/lang/lang_example.h"
#include "map/lang/lang_explain.h"
#include "map/lang/lang_pack.h"

/* ---- opening ------------------------------------------------------------ */

static enum tn_status new_book(struct tn_rulebook     **out,
                               const struct tn_options *options,
                               struct tn_error         *error)
{
    struct tn_memory memory;

    *out = NULL;
    tn_memory_take_options(&memory, options);
    struct tn_rulebook *book =
        tn_memory_resize(&memory, NULL, 0, sizeof *book, error);
    if (!book)
        return error->status;
    memset(book, 0, sizeof *book);
    tn_memory_take_options(&book->memory, options);
    book->memory.used = memory.used;
    tn_arena_init(&book->arena, &book->memory);
    *out = book;
    return TN_OK;
}

void tn_rulebook_close(struct tn_rulebook *book)
{
    struct tn_memory memory;

    if (!book)
        return;
    for (uint32_t i = 0; !book->is_ours && i < book->file_count; i++)
        tn_lang_done(&book->files[i]);
    tn_rule_cache_done(&book->cache);
    tn_arena_done(&book->arena);
    tn_memory_init(&memory, &book->memory.allocator, book->memory.limit);
    memory.used = book->memory.used;
    tn_memory_free(&memory, book, sizeof *book);
}

static enum tn_status read_own(struct tn_rulebook *book,
                               const char *const *paths, uint32_t count,
                               struct tn_error *error)
{
    book->files = tn_new(&book->arena, struct tn_lang_file, count, error);
    if (!book->files)
        return error->status;
    for (uint32_t i = 0; i < count; i++) {
        struct tn_bytes text = { NULL, 0 };
        char           *name = tn_text_dup(&book->arena, paths[i], error);

        if (!name)
            return error->status;
        TN_TRY(
            tn_read_file(&book->arena, name, "a file of rules", &text, error));
        TN_TRY(tn_lang_parse(&book->files[book->file_count++], &book->arena,
                             name, text, error));
    }
    return TN_OK;
}

static enum tn_status read_builtin(struct tn_rulebook *book,
                                   struct tn_error    *error)
{
    struct tn_rule_text text;

    book->is_ours = true;
    TN_TRY(tn_rule_cache_init(&book->cache, &book->arena, error));
    book->files = book->cache.rules;
    for (; tn_rules_builtin_at(book->file_count, &text); book->file_count++)
        TN_TRY(tn_rule_cache_complete(&book->cache, book->file_count, error));
    return TN_OK;
}

enum tn_status tn_rulebook_open(struct tn_rulebook **out,
                                const char *const *files, uint32_t file_count,
                                const struct tn_options *options,
                                struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_TRY(new_book(out, options, error));
    if ((file_count ? read_own(*out, files, file_count, error)
                    : read_builtin(*out, error)) != TN_OK) {
        tn_rulebook_close(*out);
        *out = NULL;
    }
    return error->status;
}

void tn_rulebook_add_functions(struct tn_rulebook     *book,
                               const struct tn_native *functions,
                               uint32_t                function_count)
{
    for (uint32_t i = 0; i < book->file_count; i++) {
        book->files[i].functions      = functions;
        book->files[i].function_count = function_count;
    }
}

/* ---- listing ------------------------------------------------------------ */

uint32_t tn_rulebook_count(const struct tn_rulebook *book)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < book->file_count; i++)
        count += book->files[i].rules.count + book->files[i].back.count;
    return (uint32_t)count;
}

/* The rule and its file; NULL: there are fewer. */
static const struct tn_lang_rule *rule_at(const struct tn_rulebook   *book,
                                          uint32_t                    index,
                                          const struct tn_lang_file **file,
                                          bool                       *is_back)
{
    uint64_t at = index;

    for (uint32_t i = 0; i < book->file_count; i++) {
        const struct tn_lang_file *f = &book->files[i];

        *file    = f;
        *is_back = at >= f->rules.count;
        if (at < f->rules.count)
            return tn_list_at(&f->rules, struct tn_lang_rule, at);
        at -= f->rules.count;
        if (at < f->back.count)
            return tn_list_at(&f->back, struct tn_lang_rule, at);
        at -= f->back.count;
    }
    return NULL;
}

struct tn_rule_info tn_rulebook_rule(const struct tn_rulebook *book,
                                     uint32_t                  index)
{
    const struct tn_lang_file *file;
    bool                       is_back;
    const struct tn_lang_rule *rule = rule_at(book, index, &file, &is_back);

    if (!rule)
        return (struct tn_rule_info){ 0 };
    return (struct tn_rule_info){
        .file        = file->name,
        .line        = rule->place.line,
        .from        = is_back ? file->to : file->from,
        .to          = is_back ? file->from : file->to,
        .op_type     = rule->head.op,
        .domain      = rule->head.domain,
        .since       = rule->head.since,
        .until       = rule->head.until,
        .text        = tn_lang_text(file, rule->text),
        .is_native   = rule->native.size > 0,
        .is_reversed = rule->is_reversed,
    };
}

enum tn_status tn_rulebook_explain(struct tn_rulebook *book, uint32_t index,
                                   tn_on_explain *on, void *context,
                                   struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    const struct tn_lang_file *file;
    bool                       is_back;
    const struct tn_lang_rule *rule = rule_at(book, index, &file, &is_back);

    if (!rule)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no rule %u",
                            (unsigned)index);
    return tn_lang_explain(file, rule, &book->memory, on, context, error);
}

/* ---- the operators that a rule makes ------------------------------------- */

struct making {
    struct tn_list   names; /* struct tn_bytes: those that were reported      */
    struct tn_error *error;
    void (*on)(void *context, struct tn_bytes op);
    void *context;
};

static void tell_op(void *context, const struct tn_lang_expr *call)
{
    struct making *m = context;

    for (uint64_t i = 0; i < m->names.count; i++)
        if (tn_bytes_equal(*tn_list_at(&m->names, struct tn_bytes, i),
                           call->text))
            return;
    struct tn_bytes *to = tn_list_push(&m->names, struct tn_bytes, m->error);
    if (!to)
        return;
    *to = call->text;
    m->on(m->context, call->text);
}

enum tn_status tn_rulebook_makes(struct tn_rulebook *book, uint32_t index,
                                 void (*on)(void *context, struct tn_bytes op),
                                 void *context, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    const struct tn_lang_file *file;
    bool                       is_back;
    const struct tn_lang_rule *rule = rule_at(book, index, &file, &is_back);
    struct making m = { .error = error, .on = on, .context = context };

    if (!rule)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no rule %u",
                            (unsigned)index);
    tn_list_init(&m.names, &book->memory, sizeof(struct tn_bytes));
    tn_lang_each_op(file, rule, tell_op, &m);
    tn_list_done(&m.names);
    return error->status;
}

/* ---- checking ----------------------------------------------------------- */

struct checking {
    uint64_t count;
    void (*on)(void *context, const struct tn_rule_finding *finding);
    void *context;
};

static void tell_finding(void *context, const struct tn_location *place,
                         const char *what)
{
    struct checking             *c       = context;
    const struct tn_rule_finding finding = { place->file, place->line,
                                             place->column, what };

    c->count++;
    if (c->on)
        c->on(c->context, &finding);
}

/* Where a word of the first line that is no comment is. */
static struct tn_location place_of(const struct tn_lang_file *file,
                                   struct tn_bytes            word)
{
    struct tn_location place = { .file = file->name, .line = 1, .column = 1 };
    const uint8_t     *at    = file->text.data;

    if (!at || word.data < at || word.data >= at + file->text.size)
        return place;
    for (; at < word.data; at++) {
        place.column = *at == '\n' ? 1 : place.column + 1;
        place.line += *at == '\n';
    }
    return place;
}

/* Models are of the dialects that we know.  Another one may be a step on the
 * way, if rules of these files lead both to it and from it. */
static void check_dialect(const struct tn_rulebook  *book,
                          const struct tn_lang_file *file,
                          struct tn_bytes dialect, bool is_source,
                          struct checking *c)
{
    char name[64], what[128];

    snprintf(name, sizeof name, "%.*s", (int)dialect.size, dialect.data);
    if (!dialect.size || tn_dialect_facts(name)->name[0])
        return;
    for (uint32_t i = 0; i < book->file_count; i++) {
        const struct tn_lang_file *other = &book->files[i];
        if (other != file &&
            (tn_bytes_equal(is_source ? other->to : other->from, dialect) ||
             (other->is_both_ways &&
              tn_bytes_equal(is_source ? other->from : other->to, dialect))))
            return;
    }
    struct tn_location place = place_of(file, dialect);
    snprintf(what, sizeof what, "no format has the dialect '%s'%s", name,
             is_source ? ", and no other rules lead to it"
                       : ", and no other rules lead on from it");
    tell_finding(c, &place, what);
}

static enum tn_status check_file(struct tn_rulebook  *book,
                                 struct tn_lang_file *file, struct checking *c,
                                 struct tn_arena *arena, struct tn_error *error)
{
    struct tn_error     first = TN_ERROR_INIT;
    struct tn_vocab     vocabs[2];
    struct tn_lang_side from, to;

    check_dialect(book, file, file->from, true, c);
    check_dialect(book, file, file->to, false, c);
    TN_TRY(tn_lang_side_open(&from, &vocabs[0], arena, file->from, error));
    TN_TRY(tn_lang_side_open(&to, &vocabs[1], arena, file->to, error));
    tn_lang_check(file, &from, &to, tell_finding, c, &first);
    if (tn_failed(&first) && first.status != TN_MALFORMED)
        *error = first; /* no finding: there is no memory left */
    return error->status;
}

uint64_t tn_rulebook_check(struct tn_rulebook *book,
                           void (*on)(void                         *context,
                                      const struct tn_rule_finding *finding),
                           void *context, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct checking c = { .on = on, .context = context };
    struct tn_arena arena;

    tn_arena_init(&arena, &book->memory);
    for (uint32_t i = 0; i < book->file_count && !tn_failed(error); i++)
        check_file(book, &book->files[i], &c, &arena, error);
    tn_arena_done(&arena);
    return c.count;
}

/* ---- examples ----------------------------------------------------------- */

struct testing {
    struct tn_rule_examples *sum;
    void (*on)(void *context, const struct tn_rule_example *example);
    void *context;
};

static enum tn_status test_one(struct tn_rulebook             *book,
                               const struct tn_lang_file      *file,
                               const struct tn_example_shapes *pool,
                               const struct tn_lang_example   *example,
                               const struct testing *t, struct tn_error *error)
{
    struct tn_rule_example told = { .file = file->name,
                                    .line = example->place.line,
                                    .text = tn_lang_text(file, example->text) };
    struct tn_arena        scratch;

    tn_arena_init(&scratch, &book->memory);
    if (tn_lang_example_run(file, pool, example, &scratch, &told.why, error) ==
        TN_OK) {
        t->sum->count++;
        t->sum->failed += told.why != NULL;
        if (t->on)
            t->on(t->context, &told);
    }
    tn_arena_done(&scratch);
    return error->status;
}

static enum tn_status test_file(struct tn_rulebook        *book,
                                const struct tn_lang_file *file,
                                const struct testing *t, struct tn_error *error)
{
    struct tn_example_shapes pool;
    struct tn_arena          arena;

    tn_arena_init(&arena, &book->memory);
    tn_example_shapes_open(&pool, file, &arena, error);
    for (uint64_t k = 0; k < file->examples.count && !tn_failed(error); k++)
        test_one(book, file, &pool,
                 tn_list_at(&file->examples, struct tn_lang_example, k), t,
                 error);
    tn_example_shapes_done(&pool);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_rulebook_test(
    struct tn_rulebook *book, struct tn_rule_examples *sum,
    void (*on)(void *context, const struct tn_rule_example *example),
    void *context, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_rule_examples unused;
    const struct testing    t = { sum ? sum : &unused, on, context };

    *t.sum = (struct tn_rule_examples){ 0 };
    for (uint32_t i = 0; i < book->file_count; i++)
        TN_TRY(test_file(book, &book->files[i], &t, error));
    return TN_OK;
}
