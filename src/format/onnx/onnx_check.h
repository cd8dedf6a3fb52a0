/*
 * onnx_check.h - the state of a check, for the files onnx_check*.c
 *
 * Opening verified the grammar of everything that it read.  A check walks the
 * messages again, each with an error of its own: a failure becomes a finding,
 * and the check continues with the next message.
 */
#ifndef TN_FORMAT_ONNX_CHECK_H
#define TN_FORMAT_ONNX_CHECK_H

#include "base/memo.h"
#include "base/report.h"
#include "format/onnx/onnx.h"
#include "ir/value_sizes.h"

/* Room for a path in a finding. */
#define TN_ONNX_WHERE 200

/* Where a finding is.  The path is built only if something is found: a valid
 * model of a million nodes needs none. */
struct tn_onnx_place {
    const char *text;      /* unless it is in a node                         */
    uint32_t    op;        /* TN_NONE: in none                               */
    uint32_t    attribute; /* TN_NONE: the node itself                       */
};

#define TN_ONNX_AT(path)                                                       \
    (&(const struct tn_onnx_place){ (path), TN_NONE, TN_NONE })

/* Attributes that were found valid: many nodes have the same ones. */
#define TN_ONNX_ALIKE_SLOTS 1024
struct tn_onnx_known_attrs {
    struct tn_memo  memo; /* keyed by the kind of the outermost graph         */
    struct tn_bytes names[TN_MEMO_SLOTS];
    struct {
        uint32_t alike, source, graph; /* alike 0: none                       */
    } nodes[TN_ONNX_ALIKE_SLOTS];      /* by number: a good one               */
};

struct tn_onnx_checker {
    const struct tn_model       *model;
    const struct tn_onnx_detail *detail;
    struct tn_report            *report;
    struct tn_error             *error; /* out of memory, not a finding      */
    struct tn_error              failure; /* of the node that is being
                                             checked */
    struct tn_arena arena;
    uint32_t       *roots;      /* by graph: the function or outermost
                                   graph that it lies in             */
    uint32_t *ordinals;         /* by graph: of the function, or
                                   TN_NONE                        */
    struct tn_intern imports;   /* domains that the model imports            */
    struct tn_pairs  imported;  /* (function, or TN_NONE: the model; name of a
                                   domain) -> index in versions              */
    struct tn_list   versions;  /* int64_t                                   */
    struct tn_intern functions; /* their keys, by ordinal                    */
    struct tn_list   function_graphs; /* uint32_t by ordinal                 */
    struct tn_list   calls;           /* struct tn_onnx_call                 */
    struct tn_pairs  callees;         /* (op, 0) -> graph of the function    */
    uint32_t         scan_op;         /* the last Scan; for its body       */
    uint32_t         scan_inputs;     /* of it                               */
    struct tn_list   declared;        /* struct tn_onnx_declared             */
    const struct tn_dims       *last_dims; /* that were declared             */
    struct tn_onnx_known_attrs *known;
};

/* What a graph declares about a value: TN_TYPE() and TN_RANK(). */
struct tn_onnx_declared {
    uint32_t value;
    uint8_t  type, rank;
    uint8_t  field; /* of the graph: inputs, outputs or value_info            */
    uint32_t index; /* in that field                                          */
    uint64_t offset;
    const struct tn_dims *dims; /* NULL: no size is known                     */
};

/* The body of one function calls another; both by ordinal. */
struct tn_onnx_call {
    uint32_t from, to;
};

void tn_onnx_complain(struct tn_onnx_checker *ch, enum tn_finding_level level,
                      const char *rule, uint64_t offset,
                      const struct tn_onnx_place *where, const char *format,
                      ...) TN_PRINTF(6, 7);

/* A message that could not be read is a finding, too. */
void tn_onnx_complain_error(struct tn_onnx_checker     *ch,
                            const struct tn_error      *failure,
                            const struct tn_onnx_place *where);

/* Reports something that exists since IR version `since`, in a model that
 * claims to be older. */
void tn_onnx_expect_ir(struct tn_onnx_checker *ch, int64_t since,
                       uint64_t offset, const struct tn_onnx_place *where,
                       const char *what);

/* Adds the text to the table; whether it is new. */
bool tn_onnx_is_new(struct tn_onnx_checker *ch, struct tn_intern *seen,
                    struct tn_bytes text);

/* Whether the function or outermost graph `root` imports the domain (a name,
 * TN_NO_NAME for the default one); if there are several versions, the highest
 * counts, as the specification says. */
bool tn_onnx_imported(const struct tn_onnx_checker *ch, uint32_t root,
                      uint32_t domain, int64_t *version);

/* The declared dims as a struct, which is shared with the last equal ones; NULL
 * if no size is known. */
const struct tn_dims *tn_onnx_dims(struct tn_onnx_checker *ch, uint32_t rank,
                                   const int64_t *sizes);

/* Checks a TypeProto.  With `is_end` it belongs to an input or output of the
 * main graph, which must have an element type and a shape.  Returns what it
 * declares; the caller sets the value. */
struct tn_onnx_declared tn_onnx_check_type(struct tn_onnx_checker     *ch,
                                           struct tn_cursor            type,
                                           const struct tn_onnx_place *where,
                                           bool is_graph_io);

/* Checks an AttributeProto; `is_in_function`: it may refer to an attribute of
 * the caller.  If it cannot be read, the cursor's error says so, and the caller
 * reports it.  True if nothing is wrong; this is then true of all attributes
 * with the same bytes. */
bool tn_onnx_check_attribute(struct tn_onnx_checker     *ch,
                             struct tn_cursor            attribute,
                             const struct tn_onnx_place *where,
                             bool                        is_in_function);

void tn_onnx_check_nodes(struct tn_onnx_checker *ch, uint32_t graph);

/* Checks all graphs except their nodes; then all nodes, and names across
 * graphs. */
void tn_onnx_check_graphs(struct tn_onnx_checker *ch);
void tn_onnx_check_bodies(struct tn_onnx_checker *ch);

void tn_onnx_check_functions(struct tn_onnx_checker *ch);
void tn_onnx_check_tensors(struct tn_onnx_checker *ch);
void tn_onnx_check_tensor_names(struct tn_onnx_checker *ch);
void tn_onnx_check_vocab(struct tn_onnx_checker *ch, enum tn_vocab_half half);

/* Whether graphs that nodes run, and functions that they call, have as many
 * inputs and outputs as the nodes need. */
void tn_onnx_check_arity(struct tn_onnx_checker *ch);

/* Callbacks of struct tn_vocab_use. */
bool     tn_onnx_pass(struct tn_onnx_checker *ch, const struct tn_crossing *c,
                      struct tn_passing *to);
uint32_t tn_onnx_callee(const struct tn_onnx_checker *ch, uint32_t op,
                        uint32_t number);
void tn_onnx_check_sparse(struct tn_onnx_checker *ch, struct tn_cursor sparse,
                          const struct tn_onnx_place *where);

#endif
