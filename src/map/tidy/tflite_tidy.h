/*
 * tflite_tidy.h - a TFLite graph, as it was saved, becomes one that rules know
 *
 * A TFLite file only has the quantisation parameters of values; kernels decide
 * by the types of their inputs what to compute.  A model may also keep state
 * between runs, and calls its subgraphs by number.  Afterwards:
 *
 *   - quantised operators: float operators behind tenon::Dequantize and before
 *     tenon::Quantize (tflite_quant.c)
 *   - CALL, STABLEHLO_COMPOSITE: the body of the subgraph; IF, STABLEHLO_CASE,
 *     WHILE: If and Loop with subgraphs (calls.h; tflite_calls.c)
 *   - STABLEHLO_REDUCE, _REDUCE_WINDOW, _SCATTER, _SORT: what their subgraph does,
 *     as an attribute (tflite_regions.c)
 *   - READ_VARIABLE: what CALL_ONCE assigned, or an input of the main graph if
 *     ASSIGN_VARIABLE changes it; what it becomes is an output (tflite_state.c)
 *   - LSTM, RNN, SVDF: take their state as an input and return it; sequences of
 *     LSTM cells: Loop, where no layer of ONNX is the same (tflite_cells.c)
 *   - CAST, SHAPE, ...: have the type of their output as an attribute; custom
 *     operators: have the options of their flexbuffer as attributes
 *
 * The net as tn_net_load() gives it: graph 0 is the main one, all others are
 * functions.  Each function fails into net->error.
 */
#ifndef TN_MAP_TFLITE_TIDY_H
#define TN_MAP_TFLITE_TIDY_H

#include "ir/value_about.h"
#include "map/net/net.h"
#include "map/tidy/tf_tidy.h"

/* `notes` is a list of struct tn_tidy_note, NULL if not wanted; names and texts
 * are in the net's arena. */
struct tn_tflite_tidied {
    uint64_t quantized; /* values that are made quantised, or used so          */
    uint64_t calls;     /* of subgraphs                                        */
    uint64_t states;    /* that became inputs and outputs                      */
};

/* All of it, in the order that it needs. */
enum tn_status tn_tflite_tidy(struct tn_net *net, struct tn_list *notes,
                              struct tn_tflite_tidied *did);

/* ---- for the files of this pass ----------------------------------------- */

struct tn_tflite_work {
    struct tn_net                *net;
    struct tn_list               *notes;
    struct tn_arena               arena; /* scratch                           */
    const struct tn_value_about **about; /* by value of the loaded net; NULL:
                                            the file says nothing             */
    uint32_t                 values;     /* how many there were               */
    struct tn_tflite_tidied *did;
};

const struct tn_value_about *tn_tflite_about(const struct tn_tflite_work *work,
                                             uint32_t value);
void tn_tflite_note(struct tn_tflite_work *work, uint32_t node,
                    const char *why);

/* Which inputs of an operator are state; 0 where it has none.  Of operators
 * that see one step at a time, `is_step`. */
struct tn_tflite_states {
    uint32_t first, count;
    bool     is_step;
};
struct tn_tflite_states tn_tflite_states_of(const struct tn_net_node *node);

/* The attribute that names the subgraph which an operator computes with, NULL:
 * there is none that has a word; and that word, if this subgraph has one. */
const char *tn_tflite_region_attr(const struct tn_net_node *node);
void        tn_tflite_name_region(struct tn_net *net, uint32_t id,
                                  uint32_t function);

enum tn_status tn_tflite_quantize(struct tn_tflite_work *work);
enum tn_status tn_tflite_calls(struct tn_tflite_work *work);
enum tn_status tn_tflite_state(struct tn_tflite_work *work);
enum tn_status tn_tflite_cells(struct tn_tflite_work *work);

#endif
