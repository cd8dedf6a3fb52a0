/* convert.h - conversions between dialects, for all verbs that make one */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include <stdbool.h>

#include <tenon/tenon.h>

#include "losses.h"
#include "session.h"

/* --fold, as choices are numbered; 0: not given. */
enum cli_fold { CLI_FOLD_ALL = 1, CLI_FOLD_SHAPES, CLI_FOLD_NONE };

/* Options for conversions between dialects, as they were given: names separated
 * by commas. */
struct cli_map_words {
    const char *inputs, *outputs, *rules, *allow, *signature, *receipt,
        *shapes;      /* "x=1,224,224,3,y=?,10" */
    unsigned    fold; /* enum cli_fold                                        */
    bool        only_rules;
    unsigned    simplify; /* 0: not given, 1: no, 2: yes                      */
    uint64_t    fold_limit;
    const char *via;
    bool        nchw, keep_quantized;
    uint64_t    opset; /* 0: not given                                        */
};

/* The same, parsed.  Call cli_map_done() when it is no longer needed. */
struct cli_map {
    struct tn_map_options  options;
    char                  *texts;
    const char           **names;
    struct tn_input_shape *shapes;
    int64_t               *dims;
    const char           **symbols;
};

/* Returns 0, or an exit code if --shape is not a list of shapes. */
int  cli_map_init(struct cli_map *map, const struct cli_map_words *words);
void cli_map_done(struct cli_map *map);

/* Prints what was written: a line of text, a report with --json, or nothing
 * with --quiet. */
void cli_convert_receipt(const struct cli_common *common, const char *path,
                         const struct tn_convert_summary *summary,
                         const struct cli_losses         *losses,
                         const struct cli_losses         *notes);

/* Writes the result of an edit to --out, with the settings that were given. */
enum tn_status cli_write_edited(struct cli_session *session, bool force_invalid,
                                const struct tn_model     *made,
                                struct cli_losses         *losses,
                                struct tn_convert_summary *summary,
                                struct tn_error           *error);

/* Whether a file of --rules caused the failure, and not the model.  If so,
 * prints it with what to do about it. */
bool cli_is_about_rules(const struct tn_map_options *map,
                        const struct tn_error       *error);
int  cli_fail_rules(const struct cli_common *common,
                    const struct tn_error   *error);

/* --plan: prints what would be done.  Returns 1 if an operator has no rule. */
int cli_convert_plan(struct cli_session *session, const struct tn_model *model,
                     const struct tn_convert_options *convert);

#endif
