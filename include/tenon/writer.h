/*
 * writer.h - outputs that go to a function of the caller
 *
 * Wherever a call takes a tn_target, it takes one whose path is tn_to_writer():
 * that of a struct tn_writer.  The bytes of the output are then passed to its
 * function, in order.  Outputs of several files are refused, and a format has
 * to be named where it would follow from the path.
 *
 *   struct tn_writer writer = { { tn_to_writer(), false, false, false },
 *                               send, socket };
 *   tn_convert(model, &convert, &writer.target, NULL, NULL, &error);
 *
 * For the opposite, see tn_model_open_source().
 */
#ifndef TENON_WRITER_H
#define TENON_WRITER_H

#include <stddef.h>

#include <tenon/status.h>
#include <tenon/verbs.h>

/* The path of such a target, which is known by its address. */
TN_API const char *tn_to_writer(void);

/* Takes all bytes and returns 0, or an errno, which ends the call with TN_IO. If
 * a call fails, some of the bytes may have been passed already. */
typedef int tn_write(void *context, const void *bytes, size_t size);

struct tn_writer {
    struct tn_target target; /* its path is tn_to_writer()                     */
    tn_write        *write;
    void            *context;
};

#endif
