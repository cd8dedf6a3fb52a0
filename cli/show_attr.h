/* show_attr.h - attributes of operators as text and as JSON */
#ifndef CLI_SHOW_ATTR_H
#define CLI_SHOW_ATTR_H

#include <tenon/tenon.h>

#include "json.h"
#include "text.h"

/* "pads=[1,1,1,1] auto_pad=NOTSET"; long lists are shortened.  Arguments that a
 * file stores in lists, with their names in other lists (iArgs, iArgNames), are
 * shown by their names. */
void cli_show_attrs(struct cli_text *text, const struct tn_model *model,
                    uint32_t op);

/* "attributes": [{"name": "pads", "value": [1, 1, 1, 1]}, ...], in full. */
void cli_json_attrs(struct cli_json *json, const struct tn_model *model,
                    uint32_t op);

#endif
