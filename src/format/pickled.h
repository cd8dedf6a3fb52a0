/* pickled.h - the elements of numpy arrays in a pickle, for every format that
 * reads pickles */
#ifndef TN_FORMAT_PICKLED_H
#define TN_FORMAT_PICKLED_H

#include "io/bundle.h"
#include "ir/payload.h"
#include "wire/pickle/pickle.h"

/* Borrows the dims of the array; what else is needed lives in the arena, and
 * sources in the bundle. */
enum tn_status tn_pickled_elements(const struct tn_pickle_array *array,
                                   struct tn_bundle             *bundle,
                                   struct tn_arena              *arena,
                                   struct tn_elements           *elements,
                                   struct tn_error              *error);

#endif
