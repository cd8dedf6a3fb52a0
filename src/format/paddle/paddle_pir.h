/*
 * paddle_pir.h - Paddle 3's programs, inside the format
 *
 * A PIR program is JSON.  It is translated into an equivalent ProgramDesc and
 * back; rules/paddle_pir.names is the table of operators, slots and attributes.
 * What has no equivalent on the other side is kept under a reserved name:
 *
 *   in a ProgramDesc   op type `pir.1.foo`, attribute `pir.NAME`, whose text is
 *                      the attribute's JSON
 *   in PIR             op `legacy.foo`, attribute `legacy.NAME`
 */
#ifndef TN_FORMAT_PADDLE_PIR_H
#define TN_FORMAT_PADDLE_PIR_H

#include "base/buffer.h"
#include "base/json_read.h"
#include "base/rope.h"
#include "format/paddle/paddle.h"

/* The version of programs that are read from PIR: 3.0.0. */
#define TN_PIR_PROGRAM_VERSION 3000000

/* The limit on nested regions. */
#define TN_PIR_REGION_LIMIT 16

/* Whether this is a reserved name: `pir.` or `legacy.`, followed by
 * something. */
static inline bool tn_pir_is_reserved(struct tn_bytes name, const char *prefix)
{
    return name.size > strlen(prefix) && tn_bytes_starts_with(name, prefix);
}

/* ---- JSON in memory ----------------------------------------------------- */

struct tn_tree {
    const struct tn_tree *first, *next; /* children; siblings                 */
    struct tn_bytes       key;          /* in an object                       */
    struct tn_bytes       text;         /* of strings and numbers             */
    uint64_t              offset;
    uint32_t              count; /* of children                               */
    uint8_t               kind;  /* enum tn_json_event of its first event     */
};

/* Parses the rest of `c` into the arena; NULL on failure.  Refuses duplicate
 * keys, objects with more than 256 keys, and nesting deeper than 200. */
const struct tn_tree *tn_tree_read(struct tn_cursor *c, struct tn_arena *arena);

/* The child of an object by key, or of a list by index; NULL if there is none,
 * or if `tree` is NULL or something else. */
const struct tn_tree *tn_tree_member(const struct tn_tree *tree,
                                     const char           *key);
const struct tn_tree *tn_tree_item(const struct tn_tree *tree, uint32_t index);

static inline bool tn_tree_is_list(const struct tn_tree *tree)
{
    return tree && tree->kind == TN_JSON_ARRAY_BEGIN;
}

static inline struct tn_bytes tn_tree_text(const struct tn_tree *tree)
{
    return tree && tree->kind == TN_JSON_STRING ? tree->text : tn_bytes("", 0);
}

/* A whole number; false for anything else. */
bool tn_tree_int(const struct tn_tree *tree, int64_t *value);

/* Prints it as Paddle does: no spaces, keys in their order, numbers and strings
 * formatted from their values. */
void tn_tree_put(struct tn_buffer *to, const struct tn_tree *tree);

/* The parts of that. */
void tn_pir_put_string(struct tn_buffer *to, struct tn_bytes text);
void tn_pir_put_double(struct tn_buffer *to, double value);
void tn_pir_put_int(struct tn_buffer *to, int64_t value);

/* ---- rules -------------------------------------------------------------- */

enum tn_pir_kind {
    TN_PIR_BOOL,
    TN_PIR_INT,
    TN_PIR_LONG,
    TN_PIR_FLOAT,
    TN_PIR_DOUBLE,
    TN_PIR_STRING,
    TN_PIR_BOOLS,
    TN_PIR_INTS,
    TN_PIR_LONGS,
    TN_PIR_FLOATS,
    TN_PIR_DOUBLES,
    TN_PIR_STRINGS,
    TN_PIR_INTS64,   /* "ints/i64": INTS in a ProgramDesc, of i64 in PIR      */
    TN_PIR_INTARRAY, /* INTS in a ProgramDesc, 1.a_intarray in PIR            */
    TN_PIR_SHAPE,    /* LONGS in a ProgramDesc                                */
    TN_PIR_DTYPE,    /* INT in a ProgramDesc, 1.a_dtype in PIR                */
    TN_PIR_PLACE,    /* nothing in a ProgramDesc                              */
    TN_PIR_FILL,     /* `value` and `str_value` in a ProgramDesc              */
    TN_PIR_VALUES,   /* a list by element type in a ProgramDesc               */
    TN_PIR_FLOAT_PLUS, /* FLOAT in a ProgramDesc, once for each spatial axis in
                          PIR                                                 */
    TN_PIR_KIND_COUNT
};

struct tn_pir_attr_rule {
    struct tn_bytes       pir, legacy;
    enum tn_pir_kind      kind;
    const struct tn_tree *fallback; /* the default of D; or NULL              */
};

/* An operand or a result. */
struct tn_pir_port {
    struct tn_bytes       slot;  /* empty: an attribute only                  */
    struct tn_bytes       attr;  /* what a constant operand folds into        */
    struct tn_bytes       parts; /* slot for its elements, one by one         */
    struct tn_bytes       alias; /* of a result: the slot it is written over  */
    enum tn_pir_kind      kind;  /* of attr                                   */
    const struct tn_tree *fallback;
    bool                  is_optional, is_list;
    bool is_made; /* a result that PIR does not have and a ProgramDesc needs  */
    bool is_over; /* an operand that a ProgramDesc does not name: the old value
                     of the result in that slot                               */
};

struct tn_pir_rule {
    struct tn_bytes                pir, legacy;
    const struct tn_pir_port      *in, *out;
    const struct tn_pir_attr_rule *attrs;
    uint32_t                       in_count, out_count, attr_count;
    struct tn_bytes                when; /* an attribute; empty: always       */
    char                           when_how; /* '=' or '>'                    */
    int64_t                        when_value;
    struct tn_bytes                all; /* the flag that means all axes       */
    bool                           is_also;    /* found by `legacy` only      */
    bool                           is_aligned; /* `axis` is the axis of X at
                                                  which Y begins              */
};

struct tn_pir_rules {
    struct tn_list rows; /* struct tn_pir_rule                                */
};

/* The built-in table is tn_pir_rules_text(); .data is NULL on failure. */
struct tn_bytes tn_pir_rules_text(struct tn_arena *arena,
                                  struct tn_error *error);
enum tn_status  tn_pir_rules_read(struct tn_pir_rules *rules,
                                  struct tn_arena *arena, struct tn_bytes text,
                                  struct tn_error *error);
void            tn_pir_rules_done(struct tn_pir_rules *rules);

/* The row of an operator of PIR, such as "conv2d"; `legacy` is the operator of
 * a ProgramDesc that it was made from, or empty.  NULL if there is none. */
const struct tn_pir_rule *tn_pir_rule_of(const struct tn_pir_rules *rules,
                                         struct tn_bytes            pir,
                                         struct tn_bytes            legacy);

/* ---- attributes --------------------------------------------------------- */

/* AttrType of a ProgramDesc. */
enum {
    TN_DESC_INT,
    TN_DESC_FLOAT,
    TN_DESC_STRING,
    TN_DESC_INTS,
    TN_DESC_FLOATS,
    TN_DESC_STRINGS,
    TN_DESC_BOOL,
    TN_DESC_BOOLS,
    TN_DESC_BLOCK,
    TN_DESC_LONG,
    TN_DESC_BLOCKS,
    TN_DESC_LONGS,
    TN_DESC_DOUBLES,
    TN_DESC_VAR,
    TN_DESC_VARS,
    TN_DESC_DOUBLE,
    TN_DESC_SCALAR,
    TN_DESC_SCALARS,
    TN_DESC_NONE = 255
};

/* The value of an attribute: `count` elements in one of three arrays. */
struct tn_pir_value {
    uint8_t type; /* its type in a ProgramDesc; NONE if only the rule knows
                     it */
    uint32_t               count;
    const int64_t         *ints;
    const double          *reals;
    const struct tn_bytes *texts;
};

/* Element `index`; "" or 0 if the value has no such element of that type: a
 * list in the file may be empty. */
static inline struct tn_bytes tn_pir_text_at(const struct tn_pir_value *value,
                                             uint32_t                   index)
{
    return value->texts && index < value->count ? value->texts[index]
                                                : tn_bytes("", 0);
}

static inline int64_t tn_pir_int_at(const struct tn_pir_value *value,
                                    uint32_t                   index)
{
    return value->ints && index < value->count ? value->ints[index] : 0;
}

static inline double tn_pir_real_at(const struct tn_pir_value *value,
                                    uint32_t                   index)
{
    return value->reals && index < value->count ? value->reals[index] : 0;
}

/* Whether attributes of this type of ProgramDesc have one value, not a list. */
bool tn_pir_is_one(uint8_t type);

/* From an attribute of PIR, {"#":..., "D":...}; false if a ProgramDesc has no
 * such attribute. */
bool tn_pir_value_read(const struct tn_tree *attr, struct tn_arena *arena,
                       struct tn_pir_value *value, struct tn_error *error);

/* From the plain JSON of a default. */
bool tn_pir_value_bare(const struct tn_tree *data, enum tn_pir_kind kind,
                       struct tn_arena *arena, struct tn_pir_value *value,
                       struct tn_error *error);

/* From an Attr message, with its name. */
bool tn_pir_value_desc(struct tn_cursor body, struct tn_arena *arena,
                       struct tn_bytes *name, struct tn_pir_value *value);

/* Converts a value to another type of ProgramDesc; false if that is
 * impossible. */
bool    tn_pir_value_as(struct tn_pir_value *value, uint8_t type,
                        struct tn_arena *arena, struct tn_error *error);
uint8_t tn_pir_kind_type(enum tn_pir_kind kind);
bool    tn_pir_value_equal(const struct tn_pir_value *a,
                           const struct tn_pir_value *b);

/* An Attr message, field 4 of an OpDesc. */
void tn_pir_put_desc(struct tn_rope *to, struct tn_bytes name,
                     const struct tn_pir_value *value);
/* {"#":..., "D":...}; kind TN_PIR_KIND_COUNT: by its type. */
void tn_pir_put_value(struct tn_buffer *to, const struct tn_pir_value *value,
                      enum tn_pir_kind kind);

struct tn_pir_value tn_pir_text_value(struct tn_arena *arena,
                                      struct tn_bytes  text,
                                      struct tn_error *error);
struct tn_pir_value tn_pir_int_value(struct tn_arena *arena, uint8_t type,
                                     int64_t value, struct tn_error *error);

/* Element types: "float32", 5, "0.t_f32"; -1 or NULL if there is no such
 * type. */
int         tn_pir_dtype_number(struct tn_bytes word);
const char *tn_pir_dtype_word(int64_t number);
int         tn_pir_type_number(struct tn_bytes id);
const char *tn_pir_type_id(int64_t number);

/* ---- both ways ---------------------------------------------------------- */

/* What the reader could not translate, for check. */
struct tn_pir_note {
    uint64_t        offset; /* in the JSON                                    */
    const char     *where;
    struct tn_bytes what; /* "1.foo"                                          */
};

/* Appends the ProgramDesc that is equivalent to a PIR program.  Errors have the
 * byte offset and the path in the JSON.  `notes` (struct tn_pir_note) may be
 * NULL. */
enum tn_status tn_pir_to_program(const struct tn_tree *root,
                                 struct tn_arena *arena, struct tn_rope *to,
                                 struct tn_list *notes, struct tn_error *error);

/* model->detail of the format paddle-pir; it begins with that of paddle, so
 * that code for paddle works on it. */
struct tn_pir_detail {
    struct tn_paddle_detail   detail; /* first */
    struct tn_source         *json; /* what the program was made of           */
    const struct tn_pir_note *notes;
    uint64_t                  note_count;
};

/* The PIR program that is equivalent to a ProgramDesc. */
enum tn_status tn_pir_from_program(struct tn_span    program,
                                   struct tn_memory *memory,
                                   struct tn_buffer *to, tn_on_loss *loss,
                                   void *loss_context, struct tn_error *error);

/* Whether a file of the bundle exists and is a PIR program. */
bool tn_pir_is_program(struct tn_bundle *bundle, const char *name);

/* Opens the model of that program; the caller named another file of it. */
enum tn_status tn_pir_open_beside(struct tn_bundle *bundle,
                                  struct tn_model *model, const char *name,
                                  struct tn_error *error);

extern const struct tn_format tn_format_paddle_pir;

#endif
