/* view_svg.h - the first picture of a model as SVG, for documents */
#ifndef TN_VIEW_VIEW_SVG_H
#define TN_VIEW_VIEW_SVG_H

#include "view/view_data.h"

/* What the page shows at first, in light and dark colours: the reader's
 * settings choose. */
enum tn_status tn_view_write_svg(const struct tn_picture    *picture,
                                 const struct tn_view_about *about,
                                 struct tn_sink *to, struct tn_error *error);

#endif
