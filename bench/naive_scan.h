/*
 * naive_scan.h - the floor under opening: a pass over wire tags
 *
 * Walks the messages of a model one after the other and steps over everything
 * else.  Which fields are messages is all that it knows; it keeps nothing but
 * two sums, trusts lengths only as far as it must not to crash, and says
 * nothing about what is wrong.  No reader that looks at the structure of a
 * file can do less.
 */
#ifndef TENON_BENCH_NAIVE_SCAN_H
#define TENON_BENCH_NAIVE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAIVE_FIELDS = 32 };

/* A message type: its fields that are messages, by number. */
struct naive_message {
    const struct naive_message *fields[NAIVE_FIELDS];
};

extern const struct naive_message naive_onnx_model;
extern const struct naive_message naive_tf_graph;

struct naive_sums {
    uint64_t fields;  /* of all messages         */
    uint64_t skipped; /* bytes that were no tags */
};

/* False: these bytes are no such message. */
bool naive_scan(const struct naive_message *type, const uint8_t *data,
                size_t size, struct naive_sums *sums);

#endif
