/* show.h - parts of a model as text: shapes, inputs and outputs, tensors,
 * attributes */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdbool.h>

#include <tenon/tenon.h>

#include "json.h"
#include "text.h"

/* "[64,3,7,7]"; "[]" for a scalar. */
void cli_show_shape(struct cli_text *text, const struct tn_tensor *tensor);

/* "[batch, 3, ?, ?]"; "[...]" if the rank is unknown. */
void cli_show_dims(struct cli_text *text, const struct tn_io *io);

/* As few digits as read back as the same number, of float32 or float64; "nan",
 * "inf", "-inf". */
void cli_show_real(struct cli_text *text, double value, bool is_float);

/* "[[0,2,3],[0,4,5,9]]": where sequences begin, level by level; long levels are
 * shortened.  Prints nothing for a tensor without levels. */
void cli_show_levels(struct cli_text *text, const struct tn_tensor *tensor);

/* "lod": the same in full. */
void cli_json_levels(struct cli_json *json, const struct tn_tensor *tensor);

/* "blocks": type, elements and bytes of one; nothing if there are no blocks. */
void cli_json_blocks(struct cli_json *json, const struct tn_tensor *tensor);

/* The name of a tensor, or its path if it has no name. */
void cli_show_label(struct cli_text *text, const struct tn_tensor *tensor);

/* The same without escapes, as patterns and tn_model_find() see it. */
void cli_show_raw_label(struct cli_text *text, const struct tn_tensor *tensor);

/* graph.node[15].attribute[0].t, of any length. */
void cli_show_path(struct cli_text *text, const struct tn_tensor *tensor);

/* Whether its elements are numbers that the model learned or was given: neither
 * text, nor indices, nor the state of an optimizer. */
bool cli_is_parameter(const struct tn_tensor *tensor);

/* "initializer" */
const char *cli_role_name(enum tn_role role);

/* Bytes of a tensor: as tn_tensor_read() returns them; for strings as
 * stored. */
uint64_t cli_tensor_bytes(const struct tn_tensor *tensor);

/* "q4_K" for quantised blocks, else the name of the dtype. */
const char *cli_type_name(const struct tn_tensor *tensor);

/* a + b, or UINT64_MAX if that overflows: sizes come from untrusted files. */
uint64_t cli_add(uint64_t a, uint64_t b);

/* "1 tensor", "1,234 tensors" */
void cli_show_plural(struct cli_text *text, uint64_t count, const char *one,
                     const char *many);

/* A shape as a list of numbers. */
void cli_json_shape(struct cli_json *json, const struct tn_tensor *tensor);

/* "error": {"status": ..., "offset": ...} */
void cli_json_error(struct cli_json *json, const struct tn_error *error);

/* "pads=[1,1,1,1] auto_pad=NOTSET"; long lists are shortened.  Arguments that a
 * file stores in lists, with their names in other lists (iArgs, iArgNames), are
 * shown by their names. */
void cli_show_attrs(struct cli_text *text, const struct tn_model *model,
                    uint32_t op);

/* "attributes": [{"name": "pads", "value": [1, 1, 1, 1]}, ...], in full. */
void cli_json_attrs(struct cli_json *json, const struct tn_model *model,
                    uint32_t op);

#endif
