/* remote_curl.c - loads libcurl when the first URL is opened */
#include "io/remote_curl.h"

#include <stdlib.h>

#include "io/library.h"

static enum tn_status refuse(const char *why, struct tn_error *error)
{
    return tn_error_because(
        error, TN_UNSUPPORTED, TN_REASON_NO_TRANSPORT, TN_NOWHERE,
        "URLs need libcurl, which could not be loaded (%.200s); Debian and "
        "Ubuntu have it in the package libcurl4, and $TENON_LIBCURL can name "
        "the library",
        why ? why : "unknown error");
}

static void *open_library(void)
{
    const char *named = getenv("TENON_LIBCURL");

    if (named && named[0])
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    return library ? library
                   : dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
}

enum tn_status tn_curl_load(struct tn_curl *curl, struct tn_error *error)
{
    void *library = open_library();

    if (!library)
        return refuse(dlerror(), error);
#define FIND(name) tn_library_find(library, "curl_" #name, &curl->name)
    bool has_all =
        FIND(easy_init) && FIND(easy_setopt) && FIND(easy_getinfo) &&
        FIND(easy_pause) && FIND(easy_reset) && FIND(easy_cleanup) &&
        FIND(easy_strerror) && FIND(slist_append) && FIND(slist_free_all) &&
        FIND(multi_init) && FIND(multi_setopt) && FIND(multi_add_handle) &&
        FIND(multi_remove_handle) && FIND(multi_perform) && FIND(multi_poll) &&
        FIND(multi_wakeup) && FIND(multi_info_read) && FIND(multi_cleanup) &&
        FIND(global_init);
#undef FIND
    if (!has_all || curl->global_init(TN_CURL_GLOBAL_ALL) != 0)
        return refuse("version 7.68 or newer is needed", error);
    return TN_OK;
}
