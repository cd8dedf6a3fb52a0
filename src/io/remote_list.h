/*
 * remote_list.h - what is in a folder on a server
 *
 *   s3://bucket/prefix/   objects whose keys begin with "prefix/", by
 *                         ListObjectsV2: sizes and ETags
 *   hf://owner/repo/      files of a repository or of a folder in it, all of
 *   hf://owner/repo/a/    one commit (tn_remote's): sizes; the ETag is the
 *                         SHA-256 of a large file, the Git hash of a small one
 *   https://host/a/       what its page links to, if the server has a page for
 *                         folders (Apache, nginx, Python; also nginx's JSON,
 *                         which tells sizes): no ETags, and most sizes are
 *                         UNKNOWN
 *
 * The URL of an entry is tn_url_beside(arena, folder, entry->name, error); it
 * is opened with tn_bundle_open() or tn_remote_source() as any other URL.
 *
 *     TN_TRY(tn_remote_open(&remote, memory, memory->remote, error));
 *     status = tn_remote_list(remote, "s3://models/bert/", true, on_listed,
 *                             context, error);
 *     tn_remote_close(remote);
 *
 * Entries are reported as they arrive, in no particular order; none is kept.
 */
#ifndef TN_IO_REMOTE_LIST_H
#define TN_IO_REMOTE_LIST_H

#include "io/remote_transfer.h"

struct tn_listed {
    const char *name; /* below the folder: "a/b.onnx".  Folders, which are told
                         unless the list is recursive, end in '/'            */
    uint64_t    size; /* TN_ANSWER_UNKNOWN if the server does not tell it    */
    const char *etag; /* identity of the bytes, without quotes; "": unknown  */
};

/* An error of the callback ends the listing and is returned by it. */
typedef enum tn_status tn_on_listed(void                   *context,
                                    const struct tn_listed *listed,
                                    struct tn_error        *error);

/* `folder` is a URL that ends in '/'.  An empty folder is allowed in a store,
 * where folders exist only by name, and NOT_FOUND elsewhere. */
enum tn_status tn_remote_list(struct tn_remote *remote, const char *folder,
                              bool is_recursive, tn_on_listed *on_listed,
                              void *context, struct tn_error *error);

/* Size and ETag of one file, by a HEAD request; the name is NULL, the ETag is
 * in the arena.  NOT_FOUND with MISSING_FILE if it is not there. */
enum tn_status tn_remote_stat(struct tn_remote *remote, struct tn_arena *arena,
                              const char *url, struct tn_listed *listed,
                              struct tn_error *error);

/* ---- documents: what answers say, for the above and for its tests ------- */

struct tn_list_page {
    const char   *prefix; /* what all names begin with, and are told without  */
    tn_on_listed *on_listed;
    void         *context;
    uint64_t      count;      /* entries that were told                       */
    char          next[2048]; /* token of the next page of a store; "": none  */
};

/* ListBucketResult of a store. */
enum tn_status tn_list_read_store(struct tn_list_page *page,
                                  struct tn_memory    *memory,
                                  struct tn_bytes      document,
                                  struct tn_error     *error);
/* [{"type", "path", "size", "oid", "lfs": {"oid"}}] of a hub. */
enum tn_status tn_list_read_hub(struct tn_list_page *page,
                                struct tn_memory    *memory,
                                struct tn_bytes      document,
                                struct tn_error     *error);
/* The page of a web server: HTML, or nginx's JSON.  `path` is that of the
 * folder: links may be absolute. */
enum tn_status tn_list_read_web(struct tn_list_page *page,
                                struct tn_memory *memory, const char *path,
                                struct tn_bytes  document,
                                struct tn_error *error);

#endif
