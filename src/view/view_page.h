/* view_page.h - the page of viewer/, joined into one while we are built */
#ifndef TN_VIEW_VIEW_PAGE_H
#define TN_VIEW_VIEW_PAGE_H

#include <stddef.h>

/* What comes before the elements with data, and what comes after, stored
 * (codec/stored.h). */
extern const unsigned char tn_viewer_head_text[];
extern const size_t        tn_viewer_head_text_size;
extern const unsigned char tn_viewer_tail_text[];
extern const size_t        tn_viewer_tail_text_size;

#endif
