/* edit_io_test.c - actions on outputs: more and fewer */
#define _GNU_SOURCE
#include "support/edit_table.h"

/* clang-format off */
static const struct edit_row rows[] = {
    { "add-output s",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y s; tensors w v; producer me; graph g; metadata k=1" },
    { "add-output s t",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y s t; tensors w v; producer me; graph g; metadata k=1" },
    { "add-output y",
      "! line 1: 'y' is an output already" },
    { "add-output nothing",
      "! line 1: no value 'nothing'" },
    { "add-output w",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out y w; tensors w v; producer me; graph g; metadata k=1" },
    { "add-output s\ndrop-output y",
      "in x; sum=Add(x,w)/0; twice=Add(s,v)/0; last=Softmax(t)/1; out s; tensors w v; producer me; graph g; metadata k=1" },
    { "drop-output y",
      "! line 1: a graph needs an output" },
    { "drop-output s",
      "! line 1: no output 's'" },
};
/* clang-format on */

EDITS_MAIN(rows)
