/* paddle_check_testing.h - programs as text and what checks find in them */
#ifndef TN_FORMAT_PADDLE_CHECK_TESTING_H
#define TN_FORMAT_PADDLE_CHECK_TESTING_H

#include <stdio.h>

#include "support/hostile.h"
#include "support/little_models.h"

#define BLOCK(body) "blocks { idx: 0 parent_idx: -1 " body " }"
#define FLOATS(name, dims)                                                     \
    "vars { name: '" name "' type { type: LOD_TENSOR lod_tensor { tensor { "   \
    "data_type: FP32 " dims " } } } } "
#define HOLDERS                                                                \
    "vars { name: 'feed' type { type: FEED_MINIBATCH } persistable: true } "   \
    "vars { name: 'fetch' type { type: FETCH_LIST } persistable: true } "
#define FEED(name, col)                                                        \
    "ops { inputs { parameter: 'X' arguments: 'feed' } outputs { parameter: "  \
    "'Out' arguments: '" name "' } type: 'feed' attrs { name: 'col' type: "    \
    "INT i: " col " } } "
#define FETCH(name, col)                                                       \
    "ops { inputs { parameter: 'X' arguments: '" name "' } outputs { "         \
    "parameter: 'Out' arguments: 'fetch' } type: 'fetch' attrs { name: 'col' " \
    "type: INT i: " col " } } "
#define OP(attrs)                                                              \
    "ops { inputs { parameter: 'X' arguments: 'x' } outputs { parameter: "     \
    "'Out' arguments: 'y' } type: 'relu' " attrs " } "
#define TYPED(name, type, dims)                                                \
    "vars { name: '" name "' type { type: LOD_TENSOR lod_tensor { tensor { "   \
    "data_type: " type " " dims " } } } } "
#define IN(slot, names) "inputs { parameter: '" slot "' " names " } "
#define OUT(slot, name)                                                        \
    "outputs { parameter: '" slot "' arguments: '" name "' } "
#define A(name) "arguments: '" name "' "
#define VARS    HOLDERS FLOATS("x", "dims: 2") FLOATS("y", "dims: 2")
#define ENDS    FEED("x", "0") FETCH("y", "0")

struct paddle_row {
    const char *name, *program;
    const char *rule; /* NULL: nothing is wrong                               */
};

struct heard {
    char     rules[1000];
    unsigned count;
};

static inline int hear(void *context, const struct tn_finding *finding)
{
    struct heard *heard = context;
    size_t        used  = strlen(heard->rules);

    heard->count++;
    assert_true(finding->what[0]);
    snprintf(heard->rules + used, sizeof heard->rules - used, " %s ",
             finding->rule);
    return 0;
}

static inline void check_path(const char *path, struct heard *heard)
{
    struct tn_error error = TN_ERROR_INIT;

    *heard = (struct heard){ "", 0 };
    if (tn_check(path, NULL, NULL, hear, heard, NULL, &error) != TN_OK)
        fail_msg("%s: %s", path, error.what);
}

static inline bool has_rule(const struct heard *heard, const char *rule)
{
    char wanted[80];

    snprintf(wanted, sizeof wanted, " %s ", rule);
    return strstr(heard->rules, wanted) != NULL;
}

static inline void hold_programs(const struct paddle_row *rows, size_t count)
{
    struct tn_scratch scratch = tn_scratch_open();

    for (size_t i = 0; i < count; i++) {
        struct heard heard;
        tn_write_text(&scratch, "m.pdmodel.txt", rows[i].program);
        check_path(tn_in_scratch(&scratch, "m.pdmodel.txt"), &heard);
        bool is_right =
            rows[i].rule ? has_rule(&heard, rows[i].rule) : heard.count == 0;
        if (!is_right)
            fail_msg("%s: found%s", rows[i].name, heard.rules);
    }
    tn_scratch_close(&scratch);
}

#endif
