/*
 * onnxruntime.h - compares what two ONNX models compute in ONNX Runtime
 *
 * The runtime is a shared library, loaded on request in a process of its own,
 * since a model may crash it.  $TENON_ONNXRUNTIME names the library; otherwise
 * the system looks for libonnxruntime.so.1 or libonnxruntime.so.
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

/* Gives both the same random inputs and compares all outputs, except those that
 * change when the original runs twice.  Open sizes are 2, or 1 if the original
 * does not run with 2.  Reals may differ by the rounding of weights. */
void cli_compare_outputs(const struct tn_model *before, const char *after,
                         struct cli_comparison *result);

#endif
