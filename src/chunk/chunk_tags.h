/*
 * chunk_tags.h - where in a message a chunk belongs
 *
 *   path := step*
 *   step := field                  a singular field
 *         | field index            an element of a repeated field
 *         | field map_key          the value of a map
 *
 * So node[2].attr["value"].tensor of a GraphDef is three steps and five tags:
 * field 1, index 2, field 5, key "value", field 8.
 */
#ifndef TN_CHUNK_TAGS_H
#define TN_CHUNK_TAGS_H

#include <tenon/chunk.h>

#include "base/memory.h"
#include "wire/pb/pb_schema.h"

enum tn_tag_kind { TN_TAG_UNSET, TN_TAG_FIELD, TN_TAG_KEY, TN_TAG_INDEX };

/* The members of FieldIndex.MapKey, by their numbers. */
enum tn_key_kind {
    TN_KEY_UNSET,
    TN_KEY_TEXT,
    TN_KEY_BOOL,
    TN_KEY_UINT32,
    TN_KEY_UINT64,
    TN_KEY_INT32,
    TN_KEY_INT64,
};

struct tn_field_tag {
    uint8_t  kind; /* enum tn_tag_kind                                        */
    uint8_t  key;  /* enum tn_key_kind                                        */
    uint32_t size; /* of the text of a key                                    */
    union {
        uint64_t       number; /* field, index, or a key sign-extended        */
        const uint8_t *text;
    } at;
};

static inline struct tn_field_tag tn_tag_field(uint32_t number)
{
    return (struct tn_field_tag){ .kind = TN_TAG_FIELD, .at.number = number };
}

static inline struct tn_field_tag tn_tag_index(uint64_t index)
{
    return (struct tn_field_tag){ .kind = TN_TAG_INDEX, .at.number = index };
}

struct tn_tags {
    const struct tn_field_tag *at;
    uint64_t                   count;
};

/* The order in which chunks are merged: element by element, a message before
 * what is inside it.  Negative, 0 or positive. */
int tn_tags_compare(struct tn_tags a, struct tn_tags b);

/* How many tags both begin with. */
uint64_t tn_tags_common(struct tn_tags a, struct tn_tags b);

/* Both, one after the other, in the arena; .at is NULL on failure. */
struct tn_tags tn_tags_join(struct tn_tags first, struct tn_tags second,
                            struct tn_arena *arena, struct tn_error *error);

/* One step of a path, in its message. */
struct tn_tag_step {
    const struct tn_pb_field_type *field;
    const struct tn_field_tag     *element; /* index or key; NULL: singular   */
};

/* Takes the next step off the front of *tags.  MALFORMED if the tags do not
 * form a step, or if the message has no such field.  A repeated field or map
 * needs its element, a singular one must have none. */
enum tn_status tn_tags_step(struct tn_tags             *tags,
                            const struct tn_pb_message *type,
                            struct tn_tag_step *step, struct tn_error *error);

/* The message that a step leads into; NULL if it ends at a number or bytes. */
const struct tn_pb_message *tn_step_message(const struct tn_tag_step *step);

/* Follows all steps from the message *type to the one they end in (NULL: a
 * number or bytes).  False if the type has no such path. */
bool tn_tags_follow(struct tn_tags tags, const struct tn_pb_message **type);

/* The field that a step sets: for a map that of the value, inside its entry. */
const struct tn_pb_field_type *tn_step_value(const struct tn_tag_step *step);

/* Converts steps as callers give them into tags: names or numbers of fields,
 * then the index or key if the field has elements.  With `can_end_whole` the
 * last step may be a repeated field as a whole.  INVALID says what does not
 * fit. */
enum tn_status tn_tags_build(struct tn_tags             *tags,
                             const struct tn_pb_message *type,
                             const struct tn_step *steps, uint64_t count,
                             bool can_end_whole, struct tn_arena *arena,
                             struct tn_error *error);

/* The kind of key for a map with keys of this type. */
enum tn_key_kind tn_key_kind_of(enum tn_pb_type type);

/* node[2].attr["value"].tensor, as far as the type knows the fields, with
 * numbers for others.  Like snprintf: truncated to `size`, returns the full
 * length. */
size_t tn_tags_print(struct tn_tags tags, const struct tn_pb_message *type,
                     char *to, size_t size);

/* Puts that path in front of the error's path. */
void tn_tags_where(struct tn_tags tags, const struct tn_pb_message *type,
                   struct tn_error *error);

#endif
