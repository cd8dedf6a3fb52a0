/* show_attr.h - attributes of operators, for people and for programs */
#ifndef CLI_SHOW_ATTR_H
#define CLI_SHOW_ATTR_H

#include <tenon/tenon.h>

#include "json.h"
#include "text.h"

/* "pads=[1,1,1,1] auto_pad=NOTSET"; long lists are cut.  Arguments that a file
 * keeps in lists beside lists of their names (iArgs, iArgNames) go by these. */
void cli_show_attrs(struct cli_text *text, const struct tn_model *model,
                    uint32_t op);

/* "attributes": [{"name": "pads", "value": [1, 1, 1, 1]}, ...], whole. */
void cli_json_attrs(struct cli_json *json, const struct tn_model *model,
                    uint32_t op);

#endif
