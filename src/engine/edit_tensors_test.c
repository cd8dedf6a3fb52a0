/* edit_tensors_test.c - actions on weights */
#define _GNU_SOURCE
#include "support/edit_table.h"

/* clang-format off */
static const struct edit_row rows[] = {
    { "tie w v",
      "in x; sum=Add(x,w)/0; twice=Add(s,w)/0; last=Softmax(t)/1; out y; tensors w; producer me; graph g; metadata k=1" },
    { "tie w nothing",
      "! line 1: no tensor 'nothing'" },
    { "untie twice 1=u",
      "in x; sum=Add(x,w)/0; twice=Add(s,u)/0; last=Softmax(t)/1; out y; tensors w v u; producer me; graph g; metadata k=1" },
    { "untie twice 0=u",
      "! line 1: no tensor 's'" },
    { "tie w v\nuntie twice 1=u",
      "in x; sum=Add(x,w)/0; twice=Add(s,u)/0; last=Softmax(t)/1; out y; tensors w u; producer me; graph g; metadata k=1" },
    { "remove-tensor x",
      "! line 1: no tensor 'x'" },
    { "put w=nothing.npy",
      "! cannot open nothing.npy: No such file or directory" },
};
/* clang-format on */

EDITS_MAIN(rows)
