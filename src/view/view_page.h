/* view_page.h - the page of viewer/, joined into one while we are built */
#ifndef TN_VIEW_VIEW_PAGE_H
#define TN_VIEW_VIEW_PAGE_H

#include <stddef.h>

/* What comes before the elements with data, and what comes after. */
extern const unsigned char tn_viewer_head[];
extern const size_t        tn_viewer_head_size;
extern const unsigned char tn_viewer_tail[];
extern const size_t        tn_viewer_tail_size;

#endif
