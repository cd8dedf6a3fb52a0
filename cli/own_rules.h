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

/* Lines of an explanation, as text or, with `json`, as its items.  Words are by
 * enum tn_explain_kind. */
struct cli_explaining {
    const char *const *words;
    int                width; /* of the column of words                       */
    struct cli_json   *json;  /* NULL: as text                                */
};

void cli_explain_line(void *context, enum tn_explain_kind kind,
                      const char *what);

/* Whether these are such files: none at all, or all called *.rules. */
bool cli_are_own_rules(const char *const *files, uint32_t count);

/* Or files of any name that are written in Tenon's language. */
bool cli_are_rules(const struct cli_own_rules *rules);

int cli_own_rules_ls(const struct cli_own_rules *rules);
int cli_own_rules_explain(const struct cli_own_rules *rules, const char *op);
int cli_own_rules_check(const struct cli_own_rules *rules);
int cli_own_rules_test(const struct cli_own_rules *rules);

#endif
