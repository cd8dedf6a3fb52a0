/* view_types.h - the element types of tensors, for the colours of their areas
 */
#ifndef TN_VIEW_VIEW_TYPES_H
#define TN_VIEW_VIEW_TYPES_H

#include "view/picture.h"
#include "view/view_class.h"

struct tn_view_type {
    const char *name; /* as tn_picture_type_name() returns it          */
    uint64_t    count;
    double      bytes;
    uint64_t    first;        /* where among the types it was first met      */
    enum tn_view_class class; /* whose colour it has */
};

/* The types of a model's tensors, those that take the most room first: these
 * have colours of their own.  The page has the same (viewer/main.js). */
struct tn_list tn_view_types_of(const struct tn_picture *picture,
                                struct tn_error         *error);

/* The colour of a tensor. */
enum tn_view_class tn_view_type_class(const struct tn_list   *types,
                                      const struct tn_tensor *tensor);

#endif
