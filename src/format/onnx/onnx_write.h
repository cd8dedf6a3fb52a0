/* onnx_write.h - the state of writing a model, for the files that do it */
#ifndef TN_FORMAT_ONNX_WRITE_H
#define TN_FORMAT_ONNX_WRITE_H

#include "format/format.h"
#include "format/onnx/onnx.h"
#include "wire/pb/pb_write.h"

/* What happens to a tensor's elements. */
enum tn_onnx_move {
    TN_ONNX_STAYS,    /* nothing: they are written as they were               */
    TN_ONNX_EXTERNAL, /* they go to the external file, at `offset`            */
    TN_ONNX_INLINE,   /* they become raw_data                                 */
};

struct tn_onnx_placement {
    uint64_t offset, length;
    uint8_t  move; /* enum tn_onnx_move                                      */
};

/* A tensor of the file whose message is written anew. */
struct tn_onnx_patch {
    struct tn_span wire;
    uint32_t       tensor;
};

struct tn_onnx_writer {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_output              *to;
    struct tn_error               *error;
    struct tn_arena                arena;
    struct tn_onnx_placement *placements; /* by tensor                     */
    struct tn_list            patches;    /* struct tn_onnx_patch; sorted  */
    struct tn_pairs           values;     /* (op, slot) -> tensor of an
                                             attribute that an edit made   */
    struct tn_pairs attr_lists; /* (first slot, count) -> in attr_bytes      */
    struct tn_list  attr_bytes; /* struct tn_bytes: fields of a node, with all
                                   attributes of a list                      */
};

/* onnx_about.c: texts about the model from another format: those for which
 * there is a field (producer, texts, version); the rest, as metadata_props; and
 * those of the main graph. */
void tn_onnx_put_about(struct tn_onnx_writer *w, struct tn_rope *to);
void tn_onnx_put_metadata(struct tn_onnx_writer *w, struct tn_rope *to);
void tn_onnx_put_graph_about(struct tn_onnx_writer *w, struct tn_rope *to);

void tn_onnx_describe(const struct tn_model *model, struct tn_about *about);
extern const struct tn_rest_row tn_onnx_taken_by_graph[];
extern const struct tn_rest_row tn_onnx_taken_by_tensors[];

#endif
