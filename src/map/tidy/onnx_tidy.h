/*
 * onnx_tidy.h - an ONNX graph without what is no computation
 *
 * After tidying:
 *
 *   Constant           a constant of the net, but for sparse ones
 *   Scan               a Loop (onnx_scan.c), but for unusual ones
 *   model functions    their bodies in place of the calls; attributes that a
 *                      body takes from its caller have the caller's values
 */
#ifndef TN_MAP_ONNX_TIDY_H
#define TN_MAP_ONNX_TIDY_H

#include "map/net/net.h"

/* Fails into net->error; LIMIT when functions call each other too deep, or too
 * often for what the file justifies. */
enum tn_status tn_onnx_tidy(struct tn_net *net);

/* Of one node; it stays what it is when no Loop says it. */
enum tn_status tn_onnx_scan(struct tn_net *net, uint32_t node);

#endif
