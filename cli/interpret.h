/* interpret.h - tenon rules interpret: a node as nd4j ops */
#ifndef CLI_INTERPRET_H
#define CLI_INTERPRET_H

#include "session.h"

struct cli_interpret {
    const char        *what;   /* a file, - or the node itself                */
    const char        *inputs; /* what is known of inputs; may be NULL        */
    uint64_t           opset;  /* 0: not given                                */
    bool               is_strict, is_list, is_binary;
    const char *const *files; /* vocabularies and rules                       */
    uint32_t           file_count;
};

int cli_interpret(struct cli_session *session, const struct cli_interpret *how);

#endif
