/* remote_sign.c - Signature Version 4 of Amazon's services */
#define _GNU_SOURCE
#include "io/remote_sign.h"

#include <stdio.h>
#include <time.h>

#include "base/sort.h"
#include "codec/sha256.h"

#define BLOCK 64 /* of SHA-256, for HMAC */

#define HEX_SIZE (2 * TN_SHA256_SIZE + 1)

static void sha256(struct tn_bytes a, struct tn_bytes b,
                   uint8_t digest[TN_SHA256_SIZE])
{
    struct tn_sha256 hash;

    tn_sha256_init(&hash);
    tn_sha256_add(&hash, a);
    tn_sha256_add(&hash, b);
    tn_sha256_finish(&hash, digest);
}

static void hmac(struct tn_bytes key, const char *text,
                 uint8_t digest[TN_SHA256_SIZE])
{
    uint8_t inner[BLOCK] = { 0 }, outer[BLOCK];

    if (key.size > BLOCK)
        sha256(key, tn_bytes("", 0), inner);
    else
        memcpy(inner, key.data, key.size);
    for (int i = 0; i < BLOCK; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    sha256(tn_bytes(inner, BLOCK), tn_text(text), digest);
    sha256(tn_bytes(outer, BLOCK), tn_bytes(digest, TN_SHA256_SIZE), digest);
}

static void to_hex(const uint8_t digest[TN_SHA256_SIZE], char text[HEX_SIZE])
{
    for (int i = 0; i < TN_SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

static bool is_before(const void *a, const void *b)
{
    return strcmp(a, b) < 0;
}

/* "b=1&a" becomes "a=&b=1". */
static const char *sort_query(struct tn_arena *arena, const char *query,
                              struct tn_error *error)
{
    uint64_t count = 0, most = 1;

    for (const char *c = query; *c; c++)
        most += *c == '&';
    const void **items = tn_new(arena, const void *, most, error);
    char *text = tn_arena_alloc(arena, strlen(query) + most + 1, 1, error);
    if (!items || !text)
        return NULL;
    while (*query) {
        size_t      size   = strcspn(query, "&");
        const char *equals = memchr(query, '=', size);
        items[count++]     = tn_text_format(arena, error, "%.*s%s", (int)size,
                                            query, equals ? "" : "=");
        query += size + (query[size] == '&');
    }
    if (tn_failed(error))
        return NULL;
    tn_sort(items, count, is_before);
    char *at = text;
    for (uint64_t i = 0; i < count; i++) {
        size_t size = strlen(items[i]);
        if (i)
            *at++ = '&';
        memcpy(at, items[i], size);
        at += size;
    }
    return text;
}

static const char *canonical(struct tn_arena *arena, const struct tn_sign *s,
                             const char *names, struct tn_error *error)
{
    const char *query = sort_query(arena, s->query, error);
    const char *lines = "";

    for (unsigned i = 0; i < s->header_count && lines; i++)
        lines = tn_text_format(arena, error, "%s%s:%s\n", lines,
                               s->headers[i].name, s->headers[i].value);
    if (!query || !lines)
        return NULL;
    return tn_text_format(arena, error, "%s\n%s\n%s\n%s\n%s\n%s", s->method,
                          s->path, query, lines, names, s->body_hash);
}

static void sign(const struct tn_sign *s, const char *secret, const char *text,
                 char signature[HEX_SIZE])
{
    uint8_t key[TN_SHA256_SIZE];
    char    day[9];

    snprintf(day, sizeof day, "%.8s", s->date);
    hmac(tn_text(secret), day, key);
    hmac(tn_bytes(key, sizeof key), s->region, key);
    hmac(tn_bytes(key, sizeof key), s->service, key);
    hmac(tn_bytes(key, sizeof key), "aws4_request", key);
    hmac(tn_bytes(key, sizeof key), text, key);
    to_hex(key, signature);
}

const char *tn_sign_request(struct tn_arena *arena, const struct tn_sign *s,
                            struct tn_error *error)
{
    const char *names = "";
    uint8_t     digest[TN_SHA256_SIZE];
    char        hash[HEX_SIZE], signature[HEX_SIZE];

    for (unsigned i = 0; i < s->header_count && names; i++)
        names = tn_text_format(arena, error, "%s%s%s", names, i ? ";" : "",
                               s->headers[i].name);
    const char *request = names ? canonical(arena, s, names, error) : NULL;
    const char *scope  = tn_text_format(arena, error, "%.8s/%s/%s/aws4_request",
                                        s->date, s->region, s->service);
    const char *secret = tn_text_format(arena, error, "AWS4%s", s->secret);
    if (!request || !scope || !secret)
        return NULL;
    sha256(tn_text(request), tn_bytes("", 0), digest);
    to_hex(digest, hash);
    const char *text = tn_text_format(
        arena, error, "AWS4-HMAC-SHA256\n%s\n%s\n%s", s->date, scope, hash);
    if (!text)
        return NULL;
    sign(s, secret, text, signature);
    return tn_text_format(arena, error,
                          "AWS4-HMAC-SHA256 Credential=%s/%s, "
                          "SignedHeaders=%s, Signature=%s",
                          s->access, scope, names, signature);
}

void tn_sign_date(int64_t now, char date[TN_SIGN_DATE])
{
    time_t    seconds = (time_t)now;
    struct tm parts   = { 0 };

    gmtime_r(&seconds, &parts);
    strftime(date, TN_SIGN_DATE, "%Y%m%dT%H%M%SZ", &parts);
}
