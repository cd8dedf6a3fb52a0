/*
 * onnx_tidy.h - inlines functions and constants of an ONNX graph
 *
 * After tidying:
 *
 *   Constant           a constant of the net, but for sparse ones
 *   Scan               a Loop, but for unusual ones
 *   model functions    their bodies instead of the calls; attributes that a
 *                      body takes from its caller have the caller's values
 */
#ifndef TN_MAP_ONNX_TIDY_H
#define TN_MAP_ONNX_TIDY_H

#include "map/net/net.h"

/* Fails into net->error; LIMIT if calls are nested too deeply, or are too many
 * for the size of the file. */
enum tn_status tn_onnx_tidy(struct tn_net *net);

/* The same, but leaves Scans unchanged. */
enum tn_status tn_onnx_inline(struct tn_net *net);

/* Whether there is anything for tn_onnx_inline() to do. */
bool tn_onnx_has_to_inline(const struct tn_net *net);

/* Loops over the rows of a sequence that compute an LSTM, GRU or RNN become
 * these layers (onnx_rnn.c); `found` gets their numbers.  `doubles` (uint32_t:
 * nodes; may be NULL) gets Loops that stay because their cell is of float64. */
enum tn_status tn_onnx_rnn(struct tn_net *net, uint64_t *found,
                           struct tn_list *doubles);

/* GRU and RNN become Loops, for dialects that have no such layers
 * (onnx_cells.c).  Types must be known; the first function returns whether
 * there are any. */
bool           tn_onnx_has_cells(const struct tn_net *net);
enum tn_status tn_onnx_cells(struct tn_net *net, uint64_t *found);

/* Layers over reversed sequences get direction=reverse, and two over one
 * sequence become one of both directions (onnx_directions.c). */
enum tn_status tn_onnx_directions(struct tn_net *net, uint64_t *found);

#endif
