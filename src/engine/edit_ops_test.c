/* edit_ops_test.c - actions on nodes: attributes, inputs, nodes themselves */
#define _GNU_SOURCE
#include "support/edit_table.h"

/* clang-format off */
static const struct edit_row rows[] = {
    { "set-attr last axis=-1",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g; metadata k=1" },
    { "set-attr last note=string hello",
      "! the result would be invalid: Softmax has no attribute 'note' [unknown-attribute]" },
    { "set-attr last axis=one",
      "! line 1: 'one' is not a whole number" },
    { "remove-attr last axis",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/0; out y; tensors w v; producer me; graph g; metadata k=1" },
    { "remove-attr last nothing",
      "! line 1: no attribute 'nothing'" },
    { "set-input twice 1=w",
      "in x; sum=Add(x,w)/0; twice=Add(s,w)/0; last=Softmax(t)/1; out y; tensors w v; producer me; graph g; metadata k=1" },
    { "set-input twice 2=w",
      "! line 1: input 2 of a node that has 2, counted from 0" },
    { "set-input nobody 0=w",
      "! line 1: no node 'nobody'" },
    { "remove-op last",
      "! the result would be invalid: 'y' is an output and not made in this graph [dangling-output]" },
    { "set-input last 0=s\nremove-op twice\nremove-tensor v",
      "in x; sum=Add(x,w)/0; last=Softmax(s)/1; out y; tensors w; producer me; graph g; metadata k=1" },
};
/* clang-format on */

EDITS_MAIN(rows)
