/*
 * rules.h - rules: how ops of one dialect become ops of another
 *
 * A rulebook is made of rule files in Tenon's own language, which
 * rules/README.md teaches: yours, or those built into the library.
 *
 * A rulebook must be used by one thread at a time.
 */
#ifndef TENON_RULES_H
#define TENON_RULES_H

#include <tenon/interpret.h>

struct tn_rulebook;

/* Yours to close.  Without files: all rules that are built into the library.  A
 * file with an error is refused with line and column. */
TN_API enum tn_status tn_rulebook_open(struct tn_rulebook     **out,
                                       const char *const       *files,
                                       uint32_t                 file_count,
                                       const struct tn_options *options,
                                       struct tn_error         *error);
TN_API void           tn_rulebook_close(struct tn_rulebook *book);

/* Functions that rules with `native` call.  Examples run them, and checks know
 * their names.  They must outlive the book. */
TN_API void tn_rulebook_add_functions(struct tn_rulebook     *book,
                                      const struct tn_native *functions,
                                      uint32_t                function_count);

struct tn_rule_info {
    const char     *file;
    uint32_t        line;
    struct tn_bytes from, to;        /* dialects                              */
    struct tn_bytes op_type, domain; /* of the op that is read                */
    int64_t         since, until;    /* versions, both included               */
    struct tn_bytes text;            /* as in the file                        */
    bool            is_native;       /* implemented by a function in C        */
    bool            is_reversed;     /* the reverse of a line with <=>        */
};

/* Rules in the order of the files; within a file, reversed rules come last. */
TN_API uint32_t            tn_rulebook_count(const struct tn_rulebook *book);
TN_API struct tn_rule_info tn_rulebook_rule(const struct tn_rulebook *book,
                                            uint32_t                  rule);

/* What it reads (READS), ignores (DROPS) and makes (GIVES). */
TN_API enum tn_status tn_rulebook_explain(struct tn_rulebook *book,
                                          uint32_t rule, tn_on_explain *on,
                                          void            *context,
                                          struct tn_error *error);

/* Calls `on` with the name of each op that the rule makes, each once. */
TN_API enum tn_status tn_rulebook_makes(struct tn_rulebook *book, uint32_t rule,
                                        void (*on)(void           *context,
                                                   struct tn_bytes op),
                                        void *context, struct tn_error *error);

/* A mistake in a rule. */
struct tn_rule_finding {
    const char *file;
    uint32_t    line, column;
    const char *what;
};

/* Checks the rules against the vocabularies of their dialects: attributes that
 * are dropped, ops that do not exist, names that are not bound.  Returns the
 * number of findings.  `on` may be NULL. */
TN_API uint64_t tn_rulebook_check(
    struct tn_rulebook *book,
    void (*on)(void *context, const struct tn_rule_finding *finding),
    void *context, struct tn_error *error);

/* The result of an example under a rule. */
struct tn_rule_example {
    const char     *file;
    uint32_t        line;
    struct tn_bytes text;
    const char     *why; /* NULL: it holds; else what the rule made instead  */
};

struct tn_rule_examples {
    uint64_t count, failed;
};

/* Runs the examples.  If one cannot be parsed, the call fails with its
 * place.  `sum` and `on` may be NULL. */
TN_API enum tn_status tn_rulebook_test(
    struct tn_rulebook *book, struct tn_rule_examples *sum,
    void (*on)(void *context, const struct tn_rule_example *example),
    void *context, struct tn_error *error);

#endif
