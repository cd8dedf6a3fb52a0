/*
 * remote_curl.h - the part of libcurl that is used, loaded when it is needed
 *
 * The numbers are libcurl's ABI, which has kept them since libcurl.so.4 of
 * 2006; a test compares them with <curl/curl.h> where that is installed.
 * Declared here so that no build needs libcurl, and no start of a program
 * loads it.
 */
#ifndef TN_IO_REMOTE_CURL_H
#define TN_IO_REMOTE_CURL_H

#include "base/error.h"

enum tn_curl_option {
    TN_CURL_WRITEDATA                = 10001,
    TN_CURL_URL                      = 10002,
    TN_CURL_ERRORBUFFER              = 10010,
    TN_CURL_POSTFIELDS               = 10015,
    TN_CURL_WRITEFUNCTION            = 20011,
    TN_CURL_USERAGENT                = 10018,
    TN_CURL_LOW_SPEED_LIMIT          = 19,
    TN_CURL_LOW_SPEED_TIME           = 20,
    TN_CURL_HTTPHEADER               = 10023,
    TN_CURL_HEADERDATA               = 10029,
    TN_CURL_CUSTOMREQUEST            = 10036,
    TN_CURL_NOBODY                   = 44,
    TN_CURL_NETRC                    = 51,
    TN_CURL_FOLLOWLOCATION           = 52,
    TN_CURL_CAINFO                   = 10065,
    TN_CURL_CONNECTTIMEOUT           = 78,
    TN_CURL_HTTP_VERSION             = 84,
    TN_CURL_HEADERFUNCTION           = 20079,
    TN_CURL_CAPATH                   = 10097,
    TN_CURL_BUFFERSIZE               = 98,
    TN_CURL_NOSIGNAL                 = 99,
    TN_CURL_PRIVATE                  = 10103,
    TN_CURL_NETRC_FILE               = 10118,
    TN_CURL_POSTFIELDSIZE_LARGE      = 30120,
    TN_CURL_HTTP_CONTENT_DECODING    = 158,
    TN_CURL_PROTOCOLS                = 181,
    TN_CURL_PATH_AS_IS               = 234,
    TN_CURL_SUPPRESS_CONNECT_HEADERS = 265,
};

enum tn_curl_info {
    TN_CURLINFO_PRIVATE = 0x100000 + 21,
};

enum tn_curl_multi_option {
    TN_CURLM_PIPELINING           = 3,
    TN_CURLM_MAXCONNECTS          = 6,
    TN_CURLM_MAX_HOST_CONNECTIONS = 7,
};

/* Results of a transfer that mean more here than "failed". */
enum tn_curl_result {
    TN_CURLE_OK           = 0,
    TN_CURLE_BAD_PROTOCOL = 1,
    TN_CURLE_URL          = 3,
    TN_CURLE_WRITE        = 23,
    TN_CURLE_MEMORY       = 27,
    TN_CURLE_CERTIFICATE  = 60,
    TN_CURLE_CA           = 77,
};

enum {
    TN_CURLMSG_DONE     = 1,
    TN_CURL_NETRC_IF    = 1, /* CURL_NETRC_OPTIONAL                          */
    TN_CURL_PROTO_HTTP  = 1,
    TN_CURL_PROTO_HTTPS = 2,
    TN_CURL_MULTIPLEX   = 2,
    TN_CURL_HTTP_1      = 2, /* CURL_HTTP_VERSION_1_1                        */
    TN_CURL_GLOBAL_ALL  = 3,
    TN_CURL_ERROR_SIZE  = 256,
    TN_CURL_GO_ON       = 0,          /* CURLPAUSE_CONT                      */
    TN_CURL_PAUSE       = 0x10000001, /* CURL_WRITEFUNC_PAUSE                */
};

struct tn_curl_message {
    int   kind;
    void *easy;
    union {
        void *whatever;
        int   result;
    } data;
};

struct tn_curl {
    void *(*easy_init)(void);
    int (*easy_setopt)(void *easy, int option, ...);
    int (*easy_getinfo)(void *easy, int info, ...);
    int (*easy_pause)(void *easy, int what);
    void (*easy_reset)(void *easy);
    void (*easy_cleanup)(void *easy);
    const char *(*easy_strerror)(int result);
    void *(*slist_append)(void *list, const char *text);
    void (*slist_free_all)(void *list);
    void *(*multi_init)(void);
    int (*multi_setopt)(void *multi, int option, ...);
    int (*multi_add_handle)(void *multi, void *easy);
    int (*multi_remove_handle)(void *multi, void *easy);
    int (*multi_perform)(void *multi, int *running);
    int (*multi_poll)(void *multi, void *more, unsigned count, int timeout,
                      int *events);
    int (*multi_wakeup)(void *multi);
    struct tn_curl_message *(*multi_info_read)(void *multi, int *left);
    int (*multi_cleanup)(void *multi);
    int (*global_init)(long flags);
};

/* Loads libcurl.so.4, or what $TENON_LIBCURL names.  It stays loaded.
 * UNSUPPORTED with TN_REASON_NO_TRANSPORT if there is none. */
enum tn_status tn_curl_load(struct tn_curl *curl, struct tn_error *error);

#endif
