/* remote_curl_test.c - our numbers are libcurl's, where its header is there */
#include "io/remote_curl.h"

#include <stdlib.h>

#include "support/hostile.h"

#if defined(__has_include)
#if __has_include(<curl/curl.h>)
#include <curl/curl.h>

#define SAME(ours, theirs)                                                     \
    _Static_assert((long)(ours) == (long)(theirs), #theirs)
#define OPTION(name) SAME(TN_CURL_##name, CURLOPT_##name)

OPTION(WRITEDATA);
OPTION(URL);
OPTION(ERRORBUFFER);
OPTION(WRITEFUNCTION);
OPTION(USERAGENT);
OPTION(LOW_SPEED_LIMIT);
OPTION(LOW_SPEED_TIME);
OPTION(HTTPHEADER);
OPTION(HEADERDATA);
OPTION(NETRC);
OPTION(FOLLOWLOCATION);
OPTION(CAINFO);
OPTION(CONNECTTIMEOUT);
OPTION(HEADERFUNCTION);
OPTION(CAPATH);
OPTION(HTTP_VERSION);
OPTION(BUFFERSIZE);
OPTION(NOSIGNAL);
OPTION(PRIVATE);
OPTION(NETRC_FILE);
OPTION(HTTP_CONTENT_DECODING);
OPTION(POSTFIELDS);
OPTION(CUSTOMREQUEST);
OPTION(NOBODY);
OPTION(POSTFIELDSIZE_LARGE);
OPTION(PATH_AS_IS);
OPTION(SUPPRESS_CONNECT_HEADERS);
SAME(TN_CURL_PROTOCOLS, 181); /* its name is deprecated */
SAME(TN_CURLINFO_PRIVATE, CURLINFO_PRIVATE);
SAME(TN_CURLM_PIPELINING, CURLMOPT_PIPELINING);
SAME(TN_CURLM_MAXCONNECTS, CURLMOPT_MAXCONNECTS);
SAME(TN_CURLM_MAX_HOST_CONNECTIONS, CURLMOPT_MAX_HOST_CONNECTIONS);
SAME(TN_CURLE_BAD_PROTOCOL, CURLE_UNSUPPORTED_PROTOCOL);
SAME(TN_CURLE_URL, CURLE_URL_MALFORMAT);
SAME(TN_CURLE_WRITE, CURLE_WRITE_ERROR);
SAME(TN_CURLE_MEMORY, CURLE_OUT_OF_MEMORY);
SAME(TN_CURLE_CERTIFICATE, CURLE_PEER_FAILED_VERIFICATION);
SAME(TN_CURLE_CA, CURLE_SSL_CACERT_BADFILE);
SAME(TN_CURLMSG_DONE, CURLMSG_DONE);
SAME(TN_CURL_NETRC_IF, CURL_NETRC_OPTIONAL);
SAME(TN_CURL_PROTO_HTTP, CURLPROTO_HTTP);
SAME(TN_CURL_PROTO_HTTPS, CURLPROTO_HTTPS);
SAME(TN_CURL_HTTP_1, CURL_HTTP_VERSION_1_1);
SAME(TN_CURL_MULTIPLEX, CURLPIPE_MULTIPLEX);
SAME(TN_CURL_GLOBAL_ALL, CURL_GLOBAL_ALL);
SAME(TN_CURL_ERROR_SIZE, CURL_ERROR_SIZE);
SAME(sizeof(struct tn_curl_message), sizeof(CURLMsg));
#endif
#endif

static void test_without_library(void **state)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_curl  curl;

    (void)state;
    setenv("TENON_LIBCURL", "/no/such/library.so", 1);
    assert_int_equal(tn_curl_load(&curl, &error), TN_UNSUPPORTED);
    assert_int_equal(error.reason, TN_REASON_NO_TRANSPORT);
    assert_non_null(strstr(error.what, "libcurl4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
