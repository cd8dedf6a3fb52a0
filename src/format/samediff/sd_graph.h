/*
 * sd_graph.h - reads a FlatGraph into the tables of a model
 *
 *   struct tn_sd_reader reader;
 *   tn_sd_reader_init(&reader, model, error);
 *   tn_sd_reader_graph(&reader, span);    the main graph, and what is in it
 *   tn_sd_reader_states(&reader, &root);  of further files: shards
 *   tn_sd_reader_finish(&reader);         facts, model->detail
 *   tn_sd_reader_done(&reader);
 */
#ifndef TN_FORMAT_SD_GRAPH_H
#define TN_FORMAT_SD_GRAPH_H

#include "base/intern.h"
#include "format/samediff/sd_node.h"
#include "ir/pairs.h"
#include "wire/fb/fb_schema.h"

/* Finds the data of a variable whose table has none; false if there is none. */
typedef bool tn_sd_find(void *context, const struct tn_sd_variable *variable,
                        struct tn_sd_array *array, struct tn_error *error);

struct tn_sd_reader {
    struct tn_model     *model;
    struct tn_arena     *arena;
    struct tn_error     *error;
    struct tn_sd_detail *detail;
    bool                 is_plain; /* SDNB: arrays have dimensions            */
    tn_sd_find          *find;     /* NULL if there is no more data           */
    void                *find_context;
    struct tn_arena      scratch;
    struct tn_fb_schema  schema; /* loaded with the first graph               */
    bool                 has_schema;
    struct tn_list       graphs; /* struct tn_sd_graph                        */
    struct tn_list       queue;  /* struct tn_span: buffers of graphs         */
    struct tn_list       states; /* struct tn_sd_state                        */

    /* of the graph being read */
    uint32_t               graph;
    struct tn_sd_graph    *row;
    struct tn_sd_variable *variables;
    uint32_t               variable_count;
    struct tn_intern       names;   /* of the variables                       */
    struct tn_list         by_name; /* uint32_t: variable by id of the name   */
    struct tn_pairs        by_id;   /* (first, second) -> variable            */
    struct tn_intern       op_names;
    struct tn_list         op_tables; /* uint64_t: table by id of the name    */
    bool                  *is_used;
    uint32_t *listed; /* variables that the file lists as outputs, in its
                         order */
    uint32_t listed_count;
    uint32_t source;
};

void tn_sd_reader_init(struct tn_sd_reader *r, struct tn_model *model,
                       struct tn_error *error);
void tn_sd_reader_done(struct tn_sd_reader *r);

/* Verifies a buffer and returns its root; .fb is NULL on failure. */
struct tn_fb_table tn_sd_reader_open(struct tn_sd_reader *r,
                                     struct tn_span       span);

enum tn_status tn_sd_reader_graph(struct tn_sd_reader *r, struct tn_span span);
enum tn_status tn_sd_reader_finish(struct tn_sd_reader *r);

/* ---- sd_variable.c ------------------------------------------------------ */

/* All variables of a graph, with their data. */
void tn_sd_read_variables(struct tn_sd_reader      *r,
                          const struct tn_fb_table *root);

/* One variable of a FlatGraph, without its data. */
void tn_sd_variable_read(const struct tn_fb_table *table,
                         struct tn_arena *arena, struct tn_error *error,
                         struct tn_sd_variable *variable);

/* Its shape and the names of its dimensions, from slots of its table. */
void tn_sd_shape_read(const struct tn_fb_table *table, uint16_t slot,
                      uint16_t names_slot, struct tn_arena *arena,
                      struct tn_error *error, struct tn_sd_variable *variable);

/* Defines the value of a variable by its kind: a constant or an input. */
void tn_sd_define(struct tn_sd_reader *r, const struct tn_sd_variable *v);

/* Adds a tensor to the model; returns its index, or TN_NONE. */
uint32_t tn_sd_add_tensor(struct tn_model *model, struct tn_bytes name,
                          const struct tn_sd_array *array, enum tn_role role,
                          struct tn_error *error);

/* The same for a tensor of the graph that is being read. */
uint32_t          tn_sd_add_own(struct tn_sd_reader *r, struct tn_bytes name,
                                const struct tn_sd_array *array, enum tn_role role);
struct tn_tensor *tn_sd_tensor_at(const struct tn_sd_reader *r, uint32_t index);

/* The states of a graph's buffer. */
enum tn_status tn_sd_reader_states(struct tn_sd_reader      *r,
                                   const struct tn_fb_table *root);

/* ---- sd_op.c ------------------------------------------------------------ */

/* Reads all nodes of a graph, after its variables. */
void tn_sd_read_ops(struct tn_sd_reader *r, const struct tn_fb_table *root);

/* Adds an op to the graph that is being read; name "": it has none, type is
 * interned. */
void tn_sd_add_op(struct tn_sd_reader *r, const struct tn_fb_table *table,
                  struct tn_bytes name, uint32_t type);

/* Adds an output to the last op of the model. */
void tn_sd_add_output(struct tn_sd_reader *r, struct tn_bytes name,
                      uint32_t position, bool is_result);

/* The arrays that an op has as attributes. */
void tn_sd_read_op_arrays(struct tn_sd_reader *r, uint32_t ordinal,
                          const struct tn_fb_table *op, uint16_t scalar_slot,
                          uint16_t properties_slot);

/* ---- sd_variable.c ------------------------------------------------------ */

/* The value of that name in the graph that is being read. */
uint32_t tn_sd_value_named(struct tn_sd_reader *r, struct tn_bytes name);

/* Indexes the operations of a graph by name. */
void tn_sd_index_ops(struct tn_sd_reader *r, const struct tn_fb_vector *ops,
                     uint16_t name_slot);

/* Adds control inputs to the last op of the model: the names in a slot of its
 * table, as far as they exist. */
void tn_sd_add_controls(struct tn_sd_reader *r, const struct tn_fb_table *op,
                        uint16_t slot, uint16_t outputs_slot);

/* ---- sd_variable.c ------------------------------------------------------- */

/* Sets inputs and outputs of the graph: placeholders are inputs; outputs are
 * those that the file lists, else losses and values that no op reads. */
void tn_sd_add_io(struct tn_sd_reader *r);

/* The variable as an input or output. */
struct tn_io tn_sd_io_of(struct tn_sd_reader         *r,
                         const struct tn_sd_variable *variable);

/* Whether results of this op can be outputs of the graph. */
bool tn_sd_makes_results(struct tn_bytes op);

/* ---- sd_config.c -------------------------------------------------------- */

/* Adds updater, learning rate, regularisation and states as facts. */
void tn_sd_config_facts(struct tn_model           *model,
                        const struct tn_sd_detail *detail,
                        struct tn_error           *error);

/* The keys of an updater's states, in the order of columns; `updater` is "Adam"
 * or its full Java name.  NULL if unknown. */
const char *const *tn_sd_state_keys(struct tn_bytes updater, uint32_t *count);

/* "Adam" for "org.nd4j.linalg.learning.config.Adam". */
struct tn_bytes tn_sd_class_word(struct tn_bytes name);

/* The class of the updater in a training configuration; in the arena. */
struct tn_bytes tn_sd_config_updater(struct tn_bytes   json,
                                     struct tn_arena  *arena,
                                     struct tn_memory *memory);

/* sd_classic.c: reads a file that is one FlatGraph into a model. */
enum tn_status tn_sd_classic_read(struct tn_model  *model,
                                  struct tn_source *source,
                                  struct tn_error  *error);

#endif
