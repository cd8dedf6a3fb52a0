/* rules.h - the parts of `tenon rules` that have files of their own */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "json.h"
#include "session.h"

/* ---- own_rules.c: rule files in Tenon's own language --------------------- */

struct cli_own_rules {
    struct cli_session *session;
    const char *const  *files; /* none: the rules of the library              */
    uint32_t            count;
    bool                is_json;
};

/* Prints the lines of an explanation as text, or as items of `json`.  Words are
 * indexed by enum tn_explain_kind. */
struct cli_explaining {
    const char *const *words;
    int                width; /* of the column that has the words             */
    struct cli_json   *json;  /* NULL: as text                                */
};

void cli_explain_line(void *context, enum tn_explain_kind kind,
                      const char *what);

/* Whether these files are in Tenon's language, judged by name: there are none,
 * or all are called *.rules. */
bool cli_are_own_rules(const char *const *files, uint32_t count);

/* The same, judged by what is in the files. */
bool cli_are_rules(const struct cli_own_rules *rules);

int cli_own_rules_ls(const struct cli_own_rules *rules);
int cli_own_rules_explain(const struct cli_own_rules *rules, const char *op);
int cli_own_rules_check(const struct cli_own_rules *rules);
int cli_own_rules_test(const struct cli_own_rules *rules);

/* ---- coverage.c: which ops of a model have rules ------------------------- */

struct cli_coverage {
    const char        *path;
    const char        *to; /* a format; NULL: the usual target of the dialect */
    const char *const *rules; /* files of rules, tried before ours            */
    uint32_t           rule_count;
};

int cli_coverage(struct cli_session *session, const struct cli_coverage *what);

/* ---- interpret.c: a node as nd4j ops ------------------------------------- */

struct cli_interpret {
    const char        *what;   /* a file, - or the node itself                */
    const char        *inputs; /* what is known of inputs; may be NULL        */
    uint64_t           opset;  /* 0: not given                                */
    bool               is_strict, is_list, is_binary;
    const char *const *files; /* vocabularies and rules                       */
    uint32_t           file_count;
};

int cli_interpret(struct cli_session *session, const struct cli_interpret *how);

#endif
