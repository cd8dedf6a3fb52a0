/* edit_draft.h - the draft of an edit, for changes that callers cannot make */
#ifndef TN_ENGINE_EDIT_DRAFT_H
#define TN_ENGINE_EDIT_DRAFT_H

#include "ir/draft.h"

/* Borrowed until tn_edit_close(). */
struct tn_draft *tn_edit_draft(struct tn_edit *edit);

#endif
