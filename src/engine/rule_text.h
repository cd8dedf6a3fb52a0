/* rule_text.h - rule files that are not protobuf text, as protobuf text */
#ifndef TN_ENGINE_RULE_TEXT_H
#define TN_ENGINE_RULE_TEXT_H

#include "base/memory.h"

/* JSON and binary messages become text in the arena; text stays. */
enum tn_status tn_rule_text(struct tn_arena *arena, struct tn_bytes *bytes,
                            struct tn_error *error);

#endif
