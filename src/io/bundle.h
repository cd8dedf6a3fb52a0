/*
 * bundle.h - the files of one model
 *
 * A model is often several files: a main one, and others that it names.  A
 * bundle opens the main file (or folder) and hands out siblings by relative
 * name, confined to the folder: no absolute path, no "..", no symlink on the
 * way, regular files with a single link only.  All sources live until the
 * bundle is closed.
 *
 * The main file is what the user named, so there symlinks are fine; siblings
 * are looked for beside the path as given, not beside what it links to.  One
 * thread at a time may ask a bundle for siblings; the sources it hands out may
 * then be read by several.
 *
 * A URL is a bundle, too: siblings are files below its folder on the same
 * server, and a URL that ends in '/' is a folder.  Stores and hubs list what is
 * in it.  In a folder of a web server, a few names are tried, and the first
 * file that exists is the only entry; if there is none, the entries are what
 * the folder's page links to.
 */
#ifndef TN_IO_BUNDLE_H
#define TN_IO_BUNDLE_H

#include "base/intern.h"
#include "base/source.h"

struct tn_remote; /* remote_transfer.h */

struct tn_bundle {
    struct tn_memory *memory;
    struct tn_arena   arena; /* names and the list of sources              */
    struct tn_source *main;  /* NULL when the bundle is a folder           */
    const char       *path;  /* as the caller gave it                      */
    const char       *query; /* of a URL, with its '?', if it holds for all
                                files of the folder; else ""               */
    const char *name;        /* last component: "model.onnx"               */
    int         folder;      /* descriptor of the folder, -1: there is none
                                (bytes, stdin, read_at callbacks)          */
    struct tn_intern names;  /* of the siblings asked for so far           */
    struct tn_list   opened; /* struct tn_source * by id of the name; NULL
                                when it could not be opened                */
    bool prefers_map;        /* false: read_at only, for tests and for
                                files on systems without mmap          */
    struct tn_list    kept;  /* sources made of others, closed with it     */
    struct tn_source *text, *binary; /* a file that is text, and what it was
                                        converted to, if that was done */
    unsigned workers;         /* for bulk work; 0: one per core             */
    uint64_t max_expand;      /* what the caller allows; 0: by file size    */
    bool     is_for_writing;  /* it is only copied: what must be verified can
                                 be verified while it is written           */
    struct tn_remote *remote; /* connections, if it is a URL or has siblings
                                 that are; NULL: none                     */
    bool           is_remote; /* it is a URL                               */
    bool           is_signed; /* by a query for this file alone            */
    struct tn_list missing;   /* bool by id of the name: the server has no
                                 such file                                 */
    bool is_folder;           /* though it has a `main`, which replaces a file
                                 of the folder                             */
};

/* How a bundle is opened. */
struct tn_bundle_options {
    bool keep_unmapped; /* read with pread instead of mapping               */
};

/* A path to a file or folder, or "-" for standard input.  An input that cannot
 * seek (a pipe, a device) is spooled to an unlinked temporary file, and has no
 * siblings.  On failure *bundle is closed already. */
enum tn_status tn_bundle_open(struct tn_bundle *bundle,
                              struct tn_memory *memory, const char *path,
                              const struct tn_bundle_options *options,
                              struct tn_error                *error);

/* A bundle over a source that the caller made; takes it over, also on failure.
 * No siblings. */
enum tn_status tn_bundle_from_source(struct tn_bundle *bundle,
                                     struct tn_memory *memory,
                                     struct tn_source *source, const char *name,
                                     struct tn_error *error);
void           tn_bundle_close(struct tn_bundle *bundle);

/* A file beside the main one (or below the folder).  It is opened once, then
 * shared: asking again returns the same source.  `name` is relative,
 * '/'-separated.  NOT_FOUND if it does not exist; INVALID if the name leaves
 * the folder or is not a regular file; the message says which rule it broke. */
enum tn_status tn_bundle_sibling(struct tn_bundle *bundle, struct tn_bytes name,
                                 struct tn_source **source,
                                 struct tn_error   *error);

/* Whether there can be files beside the main one. */
static inline bool tn_bundle_has_folder(const struct tn_bundle *bundle)
{
    return bundle->folder >= 0 || bundle->is_remote;
}

/* Whether there is such a file.  This opens a file on a server. */
bool tn_bundle_has(struct tn_bundle *bundle, const char *name);

/* The entries of a folder of the bundle ("" is the bundle's own), sorted by
 * name; names live in the arena.  Folders end in '/'. */
enum tn_status tn_bundle_list(struct tn_bundle *bundle, const char *folder,
                              const char *const **names, uint64_t *count,
                              struct tn_error *error);

/* Whether that list is complete.  A web server may list only some files, and
 * the files beside a file on a server are not listed. */
bool tn_bundle_lists_all(const struct tn_bundle *bundle);

/* Takes ownership of a source that was made from the bundle's bytes (also on
 * failure). */
enum tn_status tn_bundle_keep(struct tn_bundle *bundle,
                              struct tn_source *source, struct tn_error *error);

#endif
