/* paddle_pir_writer.h - what the files that write PIR share */
#ifndef TN_FORMAT_PADDLE_PIR_WRITER_H
#define TN_FORMAT_PADDLE_PIR_WRITER_H

#include "base/intern.h"
#include "format/paddle/paddle_pir_desc.h"

/* A value, and how its type is written. */
struct tn_pir_bound {
    int64_t         number; /* 0: none                                        */
    struct tn_bytes type;
    bool            stop_gradient;
    uint32_t        element; /* of a tensor                                   */
    uint32_t        rank;
    const int64_t  *dims; /* NULL: not known                                  */
    uint32_t        local; /* the block that declares the name; 0: the first */
    bool            is_array;
};

/* A name that a block inside gave another meaning. */
struct tn_pir_undo {
    uint32_t            name;
    struct tn_pir_bound before;
};

struct tn_pir_writer {
    struct tn_arena    *arena;
    struct tn_error    *error;
    struct tn_buffer   *to;
    struct tn_buffer    attrs; /* of the operator being composed            */
    struct tn_buffer    scratch;
    struct tn_pir_rules rules;
    struct tn_desc      desc;
    struct tn_intern    names;
    struct tn_list bounds; /* struct tn_pir_bound, by name: what it is now */
    int64_t        next;
    bool           has_ops;
    tn_on_loss    *loss;
    void          *loss_context;
    uint32_t       region_count, depth;
    int64_t        last_arg; /* numbers of arguments of blocks go down */
    struct tn_list undo;     /* struct tn_pir_undo: what names meant outside */
    bool          *is_entered; /* blocks that were written already */
    uint64_t ragged_inputs; /* that keep their level in an attribute        */
    struct tn_bytes struct_name; /* of the operator, for its constants    */
};

#define TN_PIR_PORT_LIMIT 64

/* What an operator is told besides its attributes, which are in w->attrs. */
struct tn_pir_line {
    const char *id;
    int64_t     in[TN_PIR_PORT_LIMIT];
    struct tn_pir_bound
        out[TN_PIR_PORT_LIMIT]; /* type NULL: a result that is missing      */
    uint32_t in_count, out_count;
    bool     is_persistable;
};

/* Say what is left behind. */
void tn_pirw_lose(struct tn_pir_writer *w, const char *where, const char *what);

/* ---- types and names ---------------------------------------------------- */

void tn_pirw_put_dims(struct tn_buffer *to, const int64_t *dims, uint32_t rank);
struct tn_bytes tn_pirw_tensor_type(struct tn_pir_writer *w, int64_t element,
                                    const int64_t *dims, uint32_t rank);

/* What a name means now; NULL: nothing yet. */
struct tn_pir_bound *tn_pirw_bound_of(struct tn_pir_writer *w,
                                      struct tn_bytes       name);
void                 tn_pirw_bind(struct tn_pir_writer *w, struct tn_bytes name,
                                  struct tn_pir_bound value);
/* Declared, but without a number yet. */
struct tn_pir_bound tn_pirw_unborn(struct tn_pir_writer *w,
                                   struct tn_desc_var   *var);
/* The value of a name that is read; fails when nobody has written it. */
struct tn_pir_bound tn_pirw_read_name(struct tn_pir_writer *w,
                                      struct tn_bytes       name);

/* ---- operators as text -------------------------------------------------- */

/* Begin, operands and results, attributes, end: the numbers of the results are
 * then known.  One at a time: what an operator needs before it comes first. */
void tn_pirw_line_begin(struct tn_pir_writer *w, struct tn_pir_line *line,
                        const char *id);
void tn_pirw_line_in(struct tn_pir_writer *w, struct tn_pir_line *line,
                     int64_t number);
void tn_pirw_line_out(struct tn_pir_writer *w, struct tn_pir_line *line,
                      struct tn_pir_bound bound);
/* {"AT":..., "N":name}; the caller writes the value into w->attrs between. */
void tn_pirw_attr_begin(struct tn_pir_writer *w);
void tn_pirw_attr_end(struct tn_pir_writer *w, const char *prefix,
                      struct tn_bytes name);
void tn_pirw_attr_text(struct tn_pir_writer *w, const char *name,
                       const char *json);
void tn_pirw_line_end(struct tn_pir_writer *w, struct tn_pir_line *line);

/* Small operators before another; their results are returned. */
int64_t         tn_pirw_put_constant(struct tn_pir_writer      *w,
                                     const struct tn_pir_value *value);
struct tn_bytes tn_pirw_vector_type(struct tn_pir_writer      *w,
                                    const struct tn_pir_bound *items,
                                    uint32_t                   count);
int64_t         tn_pirw_put_combine(struct tn_pir_writer      *w,
                                    const struct tn_desc_slot *slot);
int64_t         tn_pirw_put_parts(struct tn_pir_writer      *w,
                                  const struct tn_desc_slot *slot);
/* An empty array of tensors, of that type. */
int64_t tn_pirw_put_array(struct tn_pir_writer      *w,
                          const struct tn_pir_bound *like);
int64_t tn_pirw_put_aligned(struct tn_pir_writer *w, struct tn_pir_bound y,
                            uint32_t rank, int64_t axis);

/* ---- attributes --------------------------------------------------------- */

bool tn_pirw_is_over_all(const struct tn_pir_rule *rule,
                         const struct tn_desc_op *op, struct tn_bytes legacy);
/* As the rule says, marking what it used; then all that nobody used. */
void tn_pirw_put_ruled(struct tn_pir_writer *w, const struct tn_desc_op *op,
                       const struct tn_pir_rule      *row,
                       const struct tn_pir_attr_rule *rule);
void tn_pirw_put_others(struct tn_pir_writer *w, const struct tn_desc_op *op,
                        const struct tn_pir_rule *rule);

/* All but the last bracket of a line: regions may follow. */
void tn_pirw_line_open(struct tn_pir_writer *w, struct tn_pir_line *line);

/* Every operator of a block but feed and fetch. */
void tn_pirw_put_ops(struct tn_pir_writer *w, uint32_t block);

/* An operator that has a block, or chooses between what blocks made; false: it
 * is no such. */
bool tn_pirw_put_flow(struct tn_pir_writer *w, const struct tn_desc_op *op);

#endif
