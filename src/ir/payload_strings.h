/*
 * payload_strings.h - checks where strings are stored
 *
 * Under tn_payload_check(); tn_payload_strings() is declared in payload.h.
 */
#ifndef TN_IR_PAYLOAD_STRINGS_H
#define TN_IR_PAYLOAD_STRINGS_H

#include "ir/payload.h"

/* tn_payload_strings() for views: payload_view.c.  Where each string
 * lies is loaded into memory, paid for by the sources; the strings are not. */
enum tn_status tn_string_view(const struct tn_elements *elements,
                              uint64_t first, uint64_t count,
                              tn_string_visitor *each, void *context,
                              struct tn_error *error);

enum tn_status tn_strings_check(const struct tn_elements *elements,
                                struct tn_error          *error);

#endif
