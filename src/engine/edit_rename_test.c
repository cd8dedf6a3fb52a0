/* edit_rename_test.c - actions on names */
#define _GNU_SOURCE
#include "support/edit_table.h"

/* clang-format off */
static const struct edit_row rows[] = {
    { "rename x=a",
      "in a; sum=Add(a,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g; metadata k=1" },
    { "rename x a y b",
      "in a; sum=Add(a,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out b; tensors w v; producer me; graph g; metadata k=1" },
    { "rename x=w",
      "! line 1: there is a value 'w' already" },
    { "rename-node sum=plus",
      "in x; plus=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g; metadata k=1" },
    { "rename-node sum=twice",
      "in x; twice=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g; metadata k=1" },
    { "rename-tensor w=weight",
      "in x; sum=Add(x,weight)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors weight v; producer me; graph g; metadata k=1" },
    { "rename-all *=p.*",
      "in p.x; sum=Add(p.x,p.w)/0; twice=Add(p.s,p.v)/0; last=Softmax(p.t)/1; out p.y; tensors p.w p.v; producer me; graph g; metadata k=1" },
    { "rename-nodes *=n/*",
      "in x; n/sum=Add(x,w)/0; n/twice=Add(s,v)/0; n/last=Softmax(t)/1; out y; tensors w v; producer me; graph g; metadata k=1" },
    { "rename-tensors ?=t*",
      "! line 1: 't*' has 1 stars, and '?' only 0: each stands for what one of the old name matched" },
    { "rename-input y=a",
      "! line 1: no input 'y'" },
    { "rename-output x=a",
      "! line 1: no output 'x'" },
};
/* clang-format on */

EDITS_MAIN(rows)
