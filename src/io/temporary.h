/*
 * temporary.h - the names of temporary files, where a signal handler finds
 * them
 *
 * A list is a chain of blocks of slots.  Slots are taken and returned without
 * a lock, and blocks stay until the list is closed: whenever a signal handler
 * interrupts us, each slot it sees is complete or unused.
 */
#ifndef TN_IO_TEMPORARY_H
#define TN_IO_TEMPORARY_H

#include <tenon/temporaries.h>

enum tn_temporary_kind {
    TN_TEMPORARY_FILE,
    TN_TEMPORARY_FOLDER, /* removed when it is empty, after the files         */
    TN_TEMPORARY_LOCK,   /* removed last, and only when no name is missing:
                            the next output tidies up where a lock is left    */
};

struct tn_temporary;

/* Call it before the file is created.  The folder must stay open until the name
 * is dropped.  NULL without a list, and if there is no room for the name. */
struct tn_temporary *tn_temporary_add(struct tn_temporaries *temporaries,
                                      enum tn_temporary_kind kind, int folder,
                                      const char *name);

/* Call it when the file is gone or has its final name.  NULL is fine. */
void tn_temporary_drop(struct tn_temporary *temporary);

#endif
