/* tf_testing.h - a TensorFlow graph through all of its passes, for tests */
#ifndef TN_MAP_TF_TESTING_H
#define TN_MAP_TF_TESTING_H

#include "map/tidy/tf_tidy.h"

static inline enum tn_status testing_tidy(struct tn_net  *net,
                                          struct tn_list *notes)
{
    enum tn_status status = tn_tf_resolve(net, notes, NULL);

    status = status == TN_OK ? tn_tf_raise(net) : status;
    return status == TN_OK ? tn_tf_lists(net) : status;
}

#endif
