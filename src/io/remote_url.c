/* remote_url.c - URLs: taken apart, joined with names, shown without secrets */
#include "io/remote_url.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

static bool begins(const char *text, const char *scheme)
{
    return strncasecmp(text, scheme, strlen(scheme)) == 0;
}

/* Names are as they are in these: no %XX, no query. */
static bool has_raw_names(const char *url)
{
    return begins(url, "s3://") || begins(url, "hf://");
}

bool tn_url_is(const char *path)
{
    return begins(path, "http://") || begins(path, "https://") ||
           has_raw_names(path);
}

bool tn_url_is_any(struct tn_bytes text)
{
    size_t i = 0;

    while (i < text.size && (isalnum(text.data[i]) || text.data[i] == '+' ||
                             text.data[i] == '-' || text.data[i] == '.'))
        i++;
    return i > 0 && text.size - i >= 3 && !memcmp(text.data + i, "://", 3);
}

bool tn_url_is_cut(const char *path)
{
    static const char *const schemes[] = { "http:/", "https:/", "s3:/", "hf:/",
                                           NULL };
    unsigned                 i         = 0;

    while (schemes[i] && !begins(path, schemes[i]))
        i++;
    return schemes[i] && !tn_url_is(path);
}

/* ---- taking apart ------------------------------------------------------- */

static enum tn_status refuse(const char *why, struct tn_error *error)
{
    return tn_error_set(error, TN_INVALID, TN_NOWHERE, "the URL %s", why);
}

/* Browsers take a backslash for a slash, others do not. */
static bool has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f || *text == '\\')
            return true;
    return false;
}

static char *put_hex(char *at, unsigned char c)
{
    static const char hex[] = "0123456789ABCDEF";

    *at++ = '%';
    *at++ = hex[c >> 4];
    *at++ = hex[c & 15];
    return at;
}

/* Letters of all languages, spaces and a few signs are written as %XX; users
 * and servers often leave them as they are. */
static const char *encode_odd(struct tn_arena *arena, const char *text,
                              size_t size, struct tn_error *error)
{
    char *to = tn_arena_alloc(arena, (uint64_t)size * 3 + 1, 1, error);
    char *at = to;

    for (size_t i = 0; to && i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c > 0x20 && c < 0x7f && !strchr("\"<>^`{|}", c))
            *at++ = (char)c;
        else
            at = put_hex(at, c);
    }
    return to;
}

static bool is_local(const char *host)
{
    size_t size = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

    if (size == 9 && !memcmp(host, "localhost", 9))
        return true;
    if (size == 5 && !memcmp(host, "[::1]", 5))
        return true;
    return begins(host, "127.") && strspn(host, "0123456789.") == size;
}

/* "host", "host:80", "[::1]:80"; the port is a number. */
static bool is_host(const char *host)
{
    size_t name  = host[0] == '[' ? strspn(host + 1, "0123456789abcdef:.") + 1
                                  : strcspn(host, ":");
    size_t least = 1;

    if (host[0] == '[') {
        if (host[name] != ']')
            return false;
        name++;
        least = 4;
    } else if (strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789-._~%") < name)
        return false;
    if (name < least || !host[name])
        return name >= least;
    size_t digits = strspn(host + name + 1, "0123456789");
    return host[name] == ':' && digits > 0 && digits <= 5 &&
           !host[name + 1 + digits];
}

/* The port that the scheme implies is no part of an origin. */
static void drop_port(char *host, const char *port)
{
    size_t size = strlen(host), tail = strlen(port);

    if (size > tail && !strcmp(host + size - tail, port))
        host[size - tail] = '\0';
}

enum tn_status tn_url_parse(struct tn_url *url, struct tn_arena *arena,
                            const char *text, struct tn_error *error)
{
    *url = (struct tn_url){ .is_secure = begins(text, "https://") };
    if (!url->is_secure && !begins(text, "http://"))
        return refuse("is neither http:// nor https://", error);
    if (strlen(text) > TN_URL_MOST)
        return refuse("is longer than 8192 bytes", error);
    if (has_control(text))
        return refuse("has a control character or a backslash in it", error);

    const char *at   = text + (url->is_secure ? 8 : 7);
    size_t      size = strcspn(at, "/?#");
    if (memchr(at, '@', size))
        return refuse("has a user name in it; credentials belong in .netrc "
                      "or the environment",
                      error);
    char *host =
        (char *)(uintptr_t)tn_bytes_dup(arena, tn_bytes(at, size), error).data;
    if (!host)
        return error->status;
    for (size_t i = 0; i < size; i++)
        host[i] = (char)tolower((unsigned char)host[i]);
    drop_port(host, url->is_secure ? ":443" : ":80");
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)host[i] >= 0x80)
            return refuse("has a host whose letters are not ASCII; write its "
                          "name as xn--...",
                          error);
    if (!is_host(host))
        return refuse("has no valid host", error);
    at += size;
    size             = strcspn(at, "?#");
    const char *path = size ? encode_odd(arena, at, size, error)
                            : tn_text_dup(arena, "/", error);
    at += size;
    at += *at == '?';
    url->query    = encode_odd(arena, at, strcspn(at, "#"), error);
    url->host     = host;
    url->path     = path;
    url->is_local = is_local(host);
    url->origin   = tn_text_format(arena, error, "http%s://%s",
                                 url->is_secure ? "s" : "", host);
    return error->status;
}

const char *tn_url_text(const struct tn_url *url, struct tn_arena *arena,
                        struct tn_error *error)
{
    return tn_text_format(arena, error, "%s%s%s%s", url->origin, url->path,
                          url->query[0] ? "?" : "", url->query);
}

const char *tn_url_shown(const char *text, struct tn_arena *arena,
                         struct tn_error *error)
{
    if (has_raw_names(text))
        return tn_text_dup(arena, text, error);
    const char *scheme = strstr(text, "://");
    const char *host   = scheme ? scheme + 3 : text;
    const char *rest   = host;
    for (size_t i = 0, size = strcspn(host, "/?#"); i < size; i++)
        if (host[i] == '@')
            rest = host + i;
    return tn_text_format(arena, error, "%.*s%s%.*s", (int)(host - text), text,
                          rest > host ? "..." : "", (int)strcspn(rest, "?#"),
                          rest);
}

/* ---- joining ------------------------------------------------------------ */

/* The part of a path up to and with its last '/'. */
static int folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (int)(slash - path) + 1 : 0;
}

/* "a/../b" and "./": as RFC 3986, 5.2.4 has it, in place. */
static void remove_dots(char *path)
{
    char *out = path;

    for (const char *in = path; *in;) {
        size_t size    = 1 + strcspn(in + 1, "/");
        bool   is_last = !in[size];
        if (size == 2 && in[1] == '.') {
            if (is_last)
                *out++ = '/';
        } else if (size == 3 && in[1] == '.' && in[2] == '.') {
            while (out > path && *--out != '/')
                ;
            if (is_last)
                *out++ = '/';
        } else {
            memmove(out, in, size);
            out += size;
        }
        in += size;
    }
    *out = '\0';
}

/* "data:...", "http:x": what has a scheme is not relative. */
static bool has_scheme(const char *location)
{
    return location[strcspn(location, ":/?#")] == ':';
}

enum tn_status tn_url_follow(struct tn_url *to, struct tn_arena *arena,
                             const struct tn_url *base, const char *location,
                             struct tn_error *error)
{
    char *text;

    if (has_scheme(location))
        return tn_url_parse(to, arena, location, error);
    if (location[0] == '/' && location[1] == '/')
        text = tn_text_format(arena, error, "http%s:%s",
                              base->is_secure ? "s" : "", location);
    else if (location[0] == '/')
        text = tn_text_format(arena, error, "%s%s", base->origin, location);
    else if (location[0] == '?')
        text = tn_text_format(arena, error, "%s%s%s", base->origin, base->path,
                              location);
    else
        text = tn_text_format(arena, error, "%s%.*s%s", base->origin,
                              folder_size(base->path), base->path, location);
    if (!text || tn_url_parse(to, arena, text, error) != TN_OK)
        return error->status;
    char *path = tn_text_dup(arena, to->path, error);
    if (path) {
        remove_dots(path);
        to->path = path[0] ? path : "/";
    }
    return error->status;
}

const char *tn_url_encode(struct tn_arena *arena, struct tn_bytes text,
                          bool keeps_slashes, struct tn_error *error)
{
    char *to = tn_arena_alloc(arena, (uint64_t)text.size * 3 + 1, 1, error);
    char *at = to;

    for (size_t i = 0; to && i < text.size; i++) {
        uint8_t c = text.data[i];
        if ((c < 0x80 && isalnum(c)) || (c && strchr("-._~", c)) ||
            (c == '/' && keeps_slashes))
            *at++ = (char)c;
        else
            at = put_hex(at, c);
    }
    return to;
}

const char *tn_url_beside(struct tn_arena *arena, const char *base,
                          const char *name, struct tn_error *error)
{
    const char *path = tn_url_shown(base, arena, error);
    const char *end  = has_raw_names(base)
                           ? name
                           : tn_url_encode(arena, tn_text(name), true, error);

    if (!path || !end)
        return NULL;
    const char *host = strstr(path, "://") + 3;
    int         size = folder_size(host);
    return tn_text_format(arena, error, "%.*s%s%s",
                          size ? (int)(host - path) + size : (int)strlen(path),
                          path, size ? "" : "/", end);
}

/* Whether the query has one of these, each with its '=' and what it begins
 * with. */
static bool has_parameter(const char *url, const char *const *names,
                          size_t count)
{
    for (const char *at = url + strcspn(url, "?"); *at && *at != '#';
         at += strcspn(at, "&#")) {
        at++;
        for (size_t i = 0; i < count; i++)
            if (!strncmp(at, names[i], strlen(names[i])))
                return true;
    }
    return false;
}

bool tn_url_is_signed(const char *url)
{
    static const char *const names[] = {
        "X-Amz-Signature=", "X-Goog-Signature=", "Signature=", "sig="
    };

    return has_parameter(url, names, sizeof names / sizeof names[0]);
}

bool tn_url_covers_folder(const char *url)
{
    static const char *const signature[] = { "sig=" };
    /* A container, a directory, an account's containers. */
    static const char *const ranges[] = { "sr=c", "sr=d", "srt=" };

    return has_parameter(url, signature, 1) && has_parameter(url, ranges, 3);
}
