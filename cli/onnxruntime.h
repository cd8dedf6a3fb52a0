/*
 * onnxruntime.h - two ONNX models on ONNX Runtime, for what they compute
 *
 * The runtime is a shared library that is loaded when it is asked for, in a
 * process of its own: a model may take that down.  $TENON_ONNXRUNTIME names the
 * library, else it is libonnxruntime.so.1 or libonnxruntime.so, as the system
 * finds them.
 */
#ifndef CLI_ONNXRUNTIME_H
#define CLI_ONNXRUNTIME_H

#include <tenon/tenon.h>

enum cli_agreement {
    CLI_AGREE,
    CLI_DIFFER,
    CLI_NOT_COMPARED, /* the runtime is missing, or cannot run the original   */
};

struct cli_comparison {
    enum cli_agreement agreement;
    char               told[240]; /* the runtime's version, or why not        */
};

/* Gives both the same random inputs, open sizes being 2, else 1, and compares
 * all outputs, but for those that the original itself gives otherwise the next
 * time.  Reals may differ by the rounding of weights. */
void cli_compare_outputs(const struct tn_model *before, const char *after,
                         struct cli_comparison *result);

#endif
