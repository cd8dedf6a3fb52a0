/*
 * payload_units.h - stored units, one window after the other
 *
 * Under payload.c: what the numbers are is decided there; where they are in a
 * span of raw bytes, varints or a protobuf message is known here.
 */
#ifndef TN_IR_PAYLOAD_UNITS_H
#define TN_IR_PAYLOAD_UNITS_H

#include "ir/payload.h"
#include "ir/window.h"

/* How elements and units of a payload relate. */
struct tn_layout {
    uint64_t count;        /* elements                                       */
    uint64_t needed;       /* units                                          */
    unsigned element_size; /* as handed out                                  */
    unsigned unit_size;
    unsigned parts;    /* units an element: 2 for complex                    */
    unsigned per_byte; /* elements a unit                                    */
    bool     is_small; /* below a byte: codes must be masked or extended     */
};

/* Fails for types of no fixed size, for shapes whose bytes cannot be counted
 * and for a per_byte that the type does not have. */
enum tn_status tn_layout_of(const struct tn_elements *elements,
                            struct tn_layout *layout, struct tn_error *error);

struct tn_units {
    struct tn_window window;
    unsigned         size;     /* of a unit                                  */
    uint8_t          encoding; /* RAW, RAW_BIG, VARINTS or FIELD             */
    uint8_t          wire;     /* enum tn_wire_type of one value             */
    uint32_t         field;
    bool             is_bool;
    bool             is_single; /* FIELD: the next value stands alone        */
    uint64_t values_end;        /* where the values at hand end, in the source*/
    uint64_t position;          /* units passed                              */
};

/* A failure is in the error; there are then no units. */
void tn_units_open(struct tn_units *units, const struct tn_elements *elements,
                   const struct tn_layout *layout, struct tn_memory *memory,
                   struct tn_error *error);
void tn_units_done(struct tn_units *units);

/* The next units, little-endian: fewer than `count` only at the end and after
 * a failure. */
uint64_t tn_units_read(struct tn_units *units, uint8_t *to, uint64_t count);
uint64_t tn_units_skip(struct tn_units *units, uint64_t count);

/* At most `count` units as they are in the source, when they do so in the form
 * that is handed out and are many enough to be worth a splice.  Steps over
 * them.  A multiple of `parts`. */
bool tn_units_extent(struct tn_units *units, uint64_t count, unsigned parts,
                     struct tn_span *extent);

/* Turns the bytes of each of `count` units around. */
void tn_reverse_units(uint8_t *units, unsigned size, uint64_t count);

/* The body of the next occurrence of field `number` with LEN wire type, as a
 * span; skips everything before it.  False at the end. */
bool tn_window_field(struct tn_window *w, uint32_t number,
                     struct tn_span *body);

#endif
