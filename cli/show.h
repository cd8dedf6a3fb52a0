/* show.h - parts of a model as text: shapes, inputs and outputs, tensors */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <tenon/tenon.h>

#include "json.h"
#include "text.h"

/* "[64,3,7,7]"; "[]" for a scalar. */
void cli_show_shape(struct cli_text *text, const struct tn_tensor *tensor);

/* "[batch, 3, ?, ?]"; "[...]" when not even the rank is known. */
void cli_show_dims(struct cli_text *text, const struct tn_io *end);

/* "[[0,2,3],[0,4,5,9]]": where sequences begin, level by level; long levels are
 * cut.  Nothing for a tensor without. */
void cli_show_levels(struct cli_text *text, const struct tn_tensor *tensor);

/* "lod": the same, whole. */
void cli_json_levels(struct cli_json *json, const struct tn_tensor *tensor);

/* The name of a tensor, or its path when it has none. */
void cli_show_label(struct cli_text *text, const struct tn_tensor *tensor);

/* The same without escapes, as patterns and tn_model_find() see it. */
void cli_show_raw_label(struct cli_text *text, const struct tn_tensor *tensor);

/* graph.node[15].attribute[0].t, whole. */
void cli_show_path(struct cli_text *text, const struct tn_tensor *tensor);

/* "initializer" */
const char *cli_role_name(enum tn_role role);

/* A tensor's number of bytes: as handed out, or as stored for strings. */
uint64_t cli_tensor_bytes(const struct tn_tensor *tensor);

/* a + b, or the largest number there is: sizes come from untrusted files. */
uint64_t cli_add(uint64_t a, uint64_t b);

/* "1 tensor", "1,234 tensors" */
void cli_show_plural(struct cli_text *text, uint64_t count, const char *one,
                     const char *many);

/* A row of tenon.ls/1 and the shape inside others. */
void cli_json_shape(struct cli_json *json, const struct tn_tensor *tensor);

/* "error": {"status": ..., "offset": ...} */
void cli_json_error(struct cli_json *json, const struct tn_error *error);

#endif
