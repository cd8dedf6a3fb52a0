/*
 * pb_losses.h - what a message loses when it is dumped and read back
 *
 * Text and JSON have the content of a message, not its encoding.  If nothing is
 * reported here, dumping and reading back gives the same bytes.
 *
 * Reported are encodings that are not the canonical one (long varints, bits a
 * type cannot hold, fields or map keys out of order, singular fields given
 * again, packed where the schema does not pack and the other way round, zeros
 * where there is no presence, map entries that are not key and value), NaNs
 * with a sign or a payload, and unknown groups; in JSON also every unknown
 * field, strings that are not UTF-8, and equal map keys.
 */
#ifndef TN_WIRE_PB_LOSSES_H
#define TN_WIRE_PB_LOSSES_H

#include "base/source.h"
#include "wire/pb/pb_schema.h"

enum tn_pb_spelling { TN_PB_AS_TEXT, TN_PB_AS_JSON };

struct tn_pb_loss {
    uint64_t    offset; /* of the field, in the source                        */
    const char *where;  /* its path in the message                            */
    const char *what;   /* one line                                           */
};

/* `schema` is where JSON looks up the type of an Any; may be NULL. */
struct tn_pb_losses {
    const struct tn_pb_schema *schema;
    enum tn_pb_spelling        spelling;
    void (*report)(void *context, const struct tn_pb_loss *loss);
    void *context;
};

/* Reports every loss.  Fails only if the message cannot be walked. */
enum tn_status tn_pb_losses_find(const struct tn_pb_losses  *losses,
                                 const struct tn_pb_message *type,
                                 struct tn_span              message,
                                 struct tn_memory           *memory,
                                 struct tn_error            *error);

#endif
