/* edit_about_test.c - actions on texts about the model */
#define _GNU_SOURCE
#include "support/edit_table.h"

/* clang-format off */
static const struct edit_row rows[] = {
    { "doc hello",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g; doc hello; metadata k=1" },
    { "producer you\nproducer-version 3",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer you 3; graph g; metadata k=1" },
    { "metadata k=2",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g; metadata k=2" },
    { "metadata n=new",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g; metadata k=1; metadata n=new" },
    { "metadata \"\" x",
      "! line 1: a key of the metadata has at least one byte" },
    { "remove-metadata k",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g" },
    { "remove-metadata n",
      "! the metadata has no key 'n'" },
    { "graph-name h",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph h; metadata k=1" },
    { "model-version x",
      "! line 1: 'x' is not a whole number" },
    { "domain a.b",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; domain a.b; graph g; metadata k=1" },
};
/* clang-format on */

EDITS_MAIN(rows)
