/* paddle_crf.h - crf_decoding: the best path through tags, as two loops */
#ifndef TN_MAP_PADDLE_CRF_H
#define TN_MAP_PADDLE_CRF_H

#include "map/net/net.h"

/* Every crf_decoding becomes Loops of operators that have rules; arguments must
 * be in the order of the vocabulary.  Fails into net->error. */
enum tn_status tn_paddle_crf(struct tn_net *net);

#endif
