/*
 * array.h - the elements of a tensor in memory, without a copy where that is
 * possible
 *
 * If the file stores the elements in the form that is wanted (little-endian, in
 * C order), the array is the file's own pages, in a mapping that is private and
 * writable: writing to it changes this array and others of the same tensor,
 * never the file, and nothing that is read from the model.  All arrays of a
 * tensor have the same address then.  Otherwise the elements are decoded into
 * memory that belongs to the array.
 *
 * An array does not need the model that it came from: it stays valid when that
 * is closed.  Its file must not be truncated by other programs meanwhile (files
 * that are replaced by renaming, as this library does, are safe).
 */
#ifndef TENON_ARRAY_H
#define TENON_ARRAY_H

#include <tenon/model.h>

struct tn_array;

struct tn_array_options {
    size_t      size;  /* options.h: how structs of options grow             */
    const char *slice; /* Python's syntax: "0:10,::2,-1"; NULL: all.  Only what
                          is needed is read; the result is not mapped         */
    bool        allows_unaligned; /* map elements also where their address is
                                     not a multiple of their size; else those
                                     are copied                               */
    bool        is_copied;        /* never map                                */
};
#define TN_ARRAY_OPTIONS_INIT TN_SIZED_INIT(struct tn_array_options)

/* Made by the library alone, so that later versions may add members at the
 * end. */
struct tn_array_info {
    void           *data; /* never NULL                                      */
    uint64_t        size; /* bytes                                           */
    enum tn_dtype   dtype;
    uint32_t        rank;
    const uint64_t *dims;
    bool            is_mapped; /* pages of the file, not a copy               */
};

/* Yours to close.  `array` and `options` may be NULL; max_memory, max_expand
 * and progress of the options apply, the memory for elements that are decoded
 * comes from their allocator.  UNSUPPORTED for strings: see
 * tn_tensor_strings(). */
TN_API enum tn_status tn_array_open(struct tn_array              **out,
                                    const struct tn_tensor        *tensor,
                                    const struct tn_array_options *array,
                                    const struct tn_options       *options,
                                    struct tn_error               *error);

/* One more owner: close it once more.  Safe in several threads. */
TN_API void tn_array_hold(struct tn_array *array);
TN_API void tn_array_close(struct tn_array *array);

/* Borrowed until tn_array_close(). */
TN_API const struct tn_array_info *tn_array_get(const struct tn_array *array);

/* The array for other libraries, without a copy: *managed is a
 * DLManagedTensor of DLPack (dlpack.h, without a version in it), which owns the
 * array together with you until its deleter is called.  Its data is on the CPU.
 * UNSUPPORTED for types that DLPack does not have. */
TN_API enum tn_status tn_array_dlpack(struct tn_array *array, void **managed,
                                      struct tn_error *error);

/* The destructor of a capsule of Python that carries it: where nobody has taken
 * the tensor, it is deleted.  It is in C, because a destructor may run while an
 * exception is on its way, which code in Python would lose. */
TN_API void tn_array_capsule_done(void *capsule);

#endif
