/* paddle_check.h - what the files that check a model share */
#ifndef TN_FORMAT_PADDLE_CHECK_H
#define TN_FORMAT_PADDLE_CHECK_H

#include "format/paddle/paddle.h"

struct tn_paddle_checker {
    const struct tn_model         *model;
    const struct tn_paddle_detail *detail; /* NULL: no program                */
    struct tn_report              *report;
    struct tn_error               *error;
    uint64_t                       training_count; /* operators of training   */
};

/* `at` says file and offset; an empty one says neither. */
void tn_paddle_complain(struct tn_paddle_checker *k,
                        enum tn_finding_level level, const char *rule,
                        struct tn_span at, const char *where,
                        const char *format, ...) TN_PRINTF(6, 7);

/* All of the program: blocks, variables, operators, ends. */
enum tn_status tn_paddle_check_program(struct tn_paddle_checker *k);

/* Element types and ranks of what operators take and give. */
enum tn_status tn_paddle_check_types(struct tn_paddle_checker *k);

/* Variables that are read before anything writes them; the model has its
 * graph. */
enum tn_status tn_paddle_check_order(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error);

/* tn_format.check_graph of all formats with a program. */
enum tn_status tn_paddle_check_graph(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error);

enum tn_status tn_paddle_check(struct tn_bundle      *bundle,
                               const struct tn_model *model,
                               struct tn_report      *report,
                               struct tn_error       *error);

#endif
