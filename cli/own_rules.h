/* own_rules.h - rule files in Tenon's own language, for `tenon rules` */
#ifndef CLI_OWN_RULES_H
#define CLI_OWN_RULES_H

#include "json.h"
#include "session.h"

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

#endif
