/* info_json.h - tenon info --json: the members of a model */
#ifndef CLI_INFO_JSON_H
#define CLI_INFO_JSON_H

#include <tenon/tenon.h>

#include "json.h"
#include "model_sums.h"

/* Into an object that is open: see tenon.info/1 in docs/json.md. */
void cli_json_model(struct cli_json *json, const struct tn_model *model,
                    const struct cli_sums *sums);

#endif
