/*
 * rule_call.h - what the functions of rules have in common
 *
 * Reading attributes with their defaults, inputs by their formal names and
 * constants by their values; emitting arguments.
 */
#ifndef TN_MAP_RULE_CALL_H
#define TN_MAP_RULE_CALL_H

#include "map/dl4j/map_tensor.h"
#include "map/dl4j/rule_table.h"

/* Which of the node's inputs a formal name covers; false: none is given. */
bool tn_call_inputs(struct tn_rule_call *call, struct tn_bytes name,
                    uint32_t *first, uint32_t *count);

/* The value of an input.  *is_known false: nobody knows it, which a strict
 * context refuses. */
enum tn_status tn_call_constant(struct tn_rule_call *call, struct tn_bytes name,
                                struct tn_map_tensor *tensor, bool *is_known);

/* An attribute as text; empty when it is not there. */
struct tn_bytes tn_call_text(struct tn_rule_call *call, struct tn_bytes name);

/* A parameter that the rule must have: fails at the rule else. */
const struct tn_arg *tn_call_need(struct tn_rule_call *call,
                                  struct tn_bytes key, uint32_t index);

/* Whether nd4j declares an argument `k` of that type. */
bool tn_call_has_type(const struct tn_rule_call *call, struct tn_bytes k,
                      enum tn_arg_type type);

/* Adds an argument named and typed, at the place nd4j declares for `k`. */
enum tn_status tn_call_int(struct tn_rule_call *call, struct tn_bytes name,
                           struct tn_bytes k, int64_t value);
enum tn_status tn_call_double(struct tn_rule_call *call, struct tn_bytes name,
                              struct tn_bytes k, double value);
enum tn_status tn_call_bool(struct tn_rule_call *call, struct tn_bytes name,
                            struct tn_bytes k, bool value);
enum tn_status tn_call_string(struct tn_rule_call *call, struct tn_bytes name,
                              struct tn_bytes k, struct tn_bytes value);
enum tn_status tn_call_type(struct tn_rule_call *call, struct tn_bytes name,
                            struct tn_bytes k, enum tn_dtype dtype);
enum tn_status tn_call_tensor(struct tn_rule_call *call, struct tn_bytes name,
                              struct tn_bytes             k,
                              const struct tn_map_tensor *value);

/* The same at a place of the caller's. */
enum tn_status tn_call_add(struct tn_rule_call *call, struct tn_arg arg);

/* Fails at the rule. */
TN_COLD enum tn_status tn_call_fail(struct tn_rule_call *call,
                                    enum tn_status status, const char *format,
                                    ...) TN_PRINTF(3, 4);

#endif
