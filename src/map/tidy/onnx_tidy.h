/*
 * onnx_tidy.h - an ONNX graph without what is no computation
 *
 * After tidying:
 *
 *   Constant           a constant of the net, but for sparse ones
 *   Scan               a Loop, but for unusual ones
 *   model functions    their bodies in place of the calls; attributes that a
 *                      body takes from its caller have the caller's values
 */
#ifndef TN_MAP_ONNX_TIDY_H
#define TN_MAP_ONNX_TIDY_H

#include "map/net/net.h"

/* Fails into net->error; LIMIT when functions call each other too deep, or too
 * often for what the file justifies. */
enum tn_status tn_onnx_tidy(struct tn_net *net);

/* The same, but Scans stay what they are. */
enum tn_status tn_onnx_inline(struct tn_net *net);

#endif
