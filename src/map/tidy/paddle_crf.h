/* paddle_crf.h - the best path through tags, which needs two loops */
#ifndef TN_MAP_PADDLE_CRF_H
#define TN_MAP_PADDLE_CRF_H

#include "map/net/net.h"

/* Every crf_decoding becomes Loops of steps that rules know; arguments stand as
 * in the vocabulary.  Fails into net->error. */
enum tn_status tn_paddle_crf(struct tn_net *net);

#endif
