/*
 * payload_strings.h - whether strings lie where they should
 *
 * Under tn_payload_check(); tn_payload_strings() is declared in payload.h.
 */
#ifndef TN_IR_PAYLOAD_STRINGS_H
#define TN_IR_PAYLOAD_STRINGS_H

#include "ir/payload.h"

enum tn_status tn_strings_check(const struct tn_elements *elements,
                                struct tn_error          *error);

#endif
