/* remote_place.c - what s3:// and hf:// URLs stand for, and their
 * credentials */
#define _GNU_SOURCE
#include "io/remote_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "io/path.h"
#include "io/remote_url.h"

#define MOST_OF_FILE ((size_t)256 << 10)

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

enum tn_place_kind tn_place_kind_of(const char *url)
{
    if (strncasecmp(url, "s3://", 5) == 0)
        return TN_PLACE_S3;
    return strncasecmp(url, "hf://", 5) == 0 ? TN_PLACE_HUB : TN_PLACE_WEB;
}

/* ---- URLs --------------------------------------------------------------- */

/* Kinds of repositories with a name of their own; models have none. */
static size_t hub_kind(const char *at)
{
    return !strncmp(at, "datasets/", 9) ? 9
           : !strncmp(at, "spaces/", 7) ? 7
                                        : 0;
}

/* The length of a revision.  Revisions of the hub itself have a '/'; in the
 * name of a branch it is written as %2F. */
static size_t revision_size(const char *text)
{
    size_t size = strcspn(text, "/"), more = 0;

    if (!strncmp(text, "refs/pr/", 8))
        more = strspn(text + 8, "0123456789");
    else if (!strncmp(text, "refs/convert/", 13))
        more = strcspn(text + 13, "/");
    if (more)
        more += text[5] == 'p' ? 8 : 13;
    return more && (text[more] == '/' || !text[more]) ? more : size;
}

/* "owner/repository@revision", of which only the owner must be there. */
static size_t hub_size(const char *at)
{
    size_t kind  = hub_kind(at);
    size_t owner = kind + strcspn(at + kind, "/");
    size_t size  = owner + (at[owner] == '/');

    size += strcspn(at + size, "/@");
    return at[size] == '@' ? size + 1 + revision_size(at + size + 1) : size;
}

const char *tn_place_whole(struct tn_arena *arena, const char *url,
                           struct tn_error *error)
{
    enum tn_place_kind kind = tn_place_kind_of(url);
    const char        *at   = url + 5;

    if (kind == TN_PLACE_WEB || !*at)
        return url;
    bool is_whole = kind == TN_PLACE_S3
                        ? !strchr(at, '/')
                        : strchr(at + hub_kind(at), '/') && !at[hub_size(at)] &&
                              !tn_text_ends_with(at, "/");
    return is_whole ? tn_text_format(arena, error, "%s/", url) : url;
}

static enum tn_status refuse(const char *why, struct tn_error *error)
{
    return tn_error_set(error, TN_INVALID, TN_NOWHERE, "the URL %s", why);
}

/* Letters, digits and a few signs; it becomes part of a host name or path. */
static bool is_word(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!(text[i] >= 'a' && text[i] <= 'z') &&
            !(text[i] >= 'A' && text[i] <= 'Z') &&
            !(text[i] >= '0' && text[i] <= '9') && !strchr("-._", text[i]))
            return false;
    return size > 0 && text[0] != '.' && text[0] != '-';
}

static const char *without_slash(struct tn_arena *arena, const char *text,
                                 struct tn_error *error)
{
    size_t size = strlen(text);

    while (size && text[size - 1] == '/')
        size--;
    return (const char *)tn_bytes_dup(arena, tn_bytes(text, size), error).data;
}

/* The folder of a bucket's objects: "https://bucket.host" and the like. */
static const char *bucket_url(struct tn_arena *arena, const char *bucket,
                              size_t size, const struct tn_login *store,
                              struct tn_error *error)
{
    const char *endpoint = environment("AWS_ENDPOINT_URL_S3");
    const char *region   = store->region[0] ? store->region : "us-east-1";

    if (!endpoint)
        endpoint = environment("AWS_ENDPOINT_URL");
    if (!endpoint && store->endpoint[0])
        endpoint = store->endpoint;
    if (endpoint && strncasecmp(endpoint, "http://", 7) != 0 &&
        strncasecmp(endpoint, "https://", 8) != 0) {
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "AWS_ENDPOINT_URL (endpoint_url of a profile) is neither "
                     "http:// nor https://");
        return NULL;
    }
    if (endpoint) {
        endpoint = without_slash(arena, endpoint, error);
        return endpoint ? tn_text_format(arena, error, "%s/%.*s", endpoint,
                                         (int)size, bucket)
                        : NULL;
    }
    if (!is_word(region, strlen(region)))
        return refuse("is of a region that is not a word", error), NULL;
    const char *china = !strncmp(region, "cn-", 3) ? ".cn" : "";
    /* A dot in the name would not fit the certificate. */
    if (memchr(bucket, '.', size))
        return tn_text_format(arena, error,
                              "https://s3.%s.amazonaws.com%s/%.*s", region,
                              china, (int)size, bucket);
    return tn_text_format(arena, error, "https://%.*s.s3.%s.amazonaws.com%s",
                          (int)size, bucket, region, china);
}

static const char *s3_url(struct tn_arena *arena, const char *at,
                          const struct tn_login *store, struct tn_error *error)
{
    size_t size = strcspn(at, "/");

    if (!is_word(at, size) || size > 63 || at[size] != '/' || !at[size + 1])
        return refuse("must be s3://bucket/key, or s3://bucket/folder/", error),
               NULL;
    const char *key = tn_url_encode(arena, tn_text(at + size + 1), true, error);
    const char *bucket = bucket_url(arena, at, size, store, error);
    return key && bucket ? tn_text_format(arena, error, "%s/%s", bucket, key)
                         : NULL;
}

static const char *s3_list_url(struct tn_arena *arena, const char *at,
                               const struct tn_login *store, bool is_recursive,
                               const char **prefix, struct tn_error *error)
{
    size_t size = strcspn(at, "/");

    if (!is_word(at, size) || size > 63 || at[size] != '/')
        return refuse("is not s3://bucket/prefix/", error), NULL;
    *prefix            = at + size + 1;
    const char *value  = tn_url_encode(arena, tn_text(*prefix), false, error);
    const char *bucket = bucket_url(arena, at, size, store, error);
    if (!value || !bucket)
        return NULL;
    return tn_text_format(arena, error,
                          "%s/?%sencoding-type=url&list-type=2&prefix=%s",
                          bucket, is_recursive ? "" : "delimiter=%2F&", value);
}

/* "owner/repository[@revision]/path", taken apart. */
struct hub_place {
    const char *endpoint, *revision, *path; /* encoded                        */
    const char *raw_path;
    const char *repository; /* with its owner; of a dataset with its kind     */
    const char *models;     /* what the API has before models                 */
};

/* Encoded, a '/' as well, whether it is written so or not. */
static const char *encode_revision(struct tn_arena *arena, const char *text,
                                   size_t size, struct tn_error *error)
{
    char  *copy = tn_arena_alloc(arena, size + 1, 1, error);
    size_t to   = 0;

    if (!copy)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        bool is_slash = size - i >= 3 && strncasecmp(text + i, "%2F", 3) == 0;
        copy[to++]    = is_slash ? '/' : text[i];
        i += is_slash ? 2 : 0;
    }
    return tn_url_encode(arena, tn_bytes(copy, to), false, error);
}

static enum tn_status parse_hub(struct hub_place *place, struct tn_arena *arena,
                                const char *at, const char *commit,
                                bool is_folder, struct tn_error *error)
{
    const char *endpoint = environment("HF_ENDPOINT");
    size_t      kind     = hub_kind(at);
    size_t      owner    = strcspn(at + kind, "/");
    const char *name     = at + kind + owner + (at[kind + owner] == '/');
    size_t      size     = hub_size(at) - (size_t)(name - at);
    const char *sign     = memchr(name, '@', size);
    size_t      repo     = sign ? (size_t)(sign - name) : size;

    if (!is_word(at + kind, owner) || !is_word(name, repo) ||
        name[size] != '/' || (!name[size + 1] && !is_folder) ||
        (sign && repo + 1 == size))
        return refuse("is not hf://owner/repository[@revision]/path (a folder "
                      "ends in '/')",
                      error);
    place->raw_path = name + size + 1;
    place->path = tn_url_encode(arena, tn_text(name + size + 1), true, error);
    place->revision =
        commit[0] ? commit
        : sign    ? encode_revision(arena, sign + 1, size - repo - 1, error)
                  : "main";
    place->endpoint = without_slash(
        arena, endpoint ? endpoint : "https://huggingface.co", error);
    place->repository =
        tn_text_format(arena, error, "%.*s%.*s/%.*s", (int)kind, at, (int)owner,
                       at + kind, (int)repo, name);
    place->models = kind ? "" : "models/";
    return error->status;
}

static const char *hub_url(struct tn_arena *arena, const char *at,
                           const char *commit, struct tn_error *error)
{
    struct hub_place place;

    if (parse_hub(&place, arena, at, commit, false, error) != TN_OK)
        return NULL;
    return tn_text_format(arena, error, "%s/%s/resolve/%s/%s", place.endpoint,
                          place.repository, place.revision, place.path);
}

static const char *hub_list_url(struct tn_arena *arena, const char *at,
                                const char *commit, bool is_recursive,
                                const char **prefix, struct tn_error *error)
{
    struct hub_place place;

    if (parse_hub(&place, arena, at, commit, true, error) != TN_OK)
        return NULL;
    *prefix     = place.raw_path;
    size_t size = strlen(place.path);
    while (size && place.path[size - 1] == '/')
        size--;
    return tn_text_format(arena, error, "%s/api/%s%s/tree/%s%s%.*s%s",
                          place.endpoint, place.models, place.repository,
                          place.revision, size ? "/" : "", (int)size,
                          place.path, is_recursive ? "?recursive=true" : "");
}

const char *tn_place_revision_url(struct tn_arena *arena, const char *url,
                                  struct tn_error *error)
{
    struct hub_place place;

    if (parse_hub(&place, arena, url + 5, "", true, error) != TN_OK)
        return NULL;
    return tn_text_format(arena, error, "%s/api/%s%s/revision/%s",
                          place.endpoint, place.models, place.repository,
                          place.revision);
}

const char *tn_place_list_url(struct tn_arena *arena, const char *url,
                              const char *commit, const struct tn_login *store,
                              bool is_recursive, const char **prefix,
                              struct tn_error *error)
{
    *prefix = "";
    switch (tn_place_kind_of(url)) {
    case TN_PLACE_S3:
        return s3_list_url(arena, url + 5, store, is_recursive, prefix, error);
    case TN_PLACE_HUB:
        return hub_list_url(arena, url + 5, commit, is_recursive, prefix,
                            error);
    case TN_PLACE_WEB: break;
    }
    return url;
}

const char *tn_place_url(struct tn_arena *arena, const char *url,
                         const char *commit, const struct tn_login *store,
                         struct tn_error *error)
{
    switch (tn_place_kind_of(url)) {
    case TN_PLACE_S3: return s3_url(arena, url + 5, store, error);
    case TN_PLACE_HUB: return hub_url(arena, url + 5, commit, error);
    case TN_PLACE_WEB: break;
    }
    return url;
}

/* ---- credentials --------------------------------------------------------- */

static void keep(char *to, size_t room, struct tn_bytes value)
{
    if (to[0] || value.size >= room || tn_bytes_find(value, 0))
        return;
    if (value.size)
        memcpy(to, value.data, value.size);
    to[value.size] = '\0';
}

static void keep_variable(char *to, size_t room, const char *name)
{
    const char *value = environment(name);

    if (value)
        keep(to, room, tn_text(value));
}

static struct tn_bytes trim(struct tn_bytes text)
{
    while (text.size && (text.data[text.size - 1] <= ' '))
        text.size--;
    while (text.size && text.data[0] <= ' ')
        text = tn_bytes(text.data + 1, text.size - 1);
    return text;
}

/* "[name]", "[profile name]" */
static bool is_section(struct tn_bytes line, const char *profile)
{
    line = trim(tn_bytes(line.data + 1, line.size - 1));
    if (!tn_bytes_ends_with(line, "]"))
        return false;
    line = trim(tn_bytes(line.data, line.size - 1));
    if (tn_bytes_starts_with(line, "profile "))
        line = trim(tn_bytes(line.data + 8, line.size - 8));
    return tn_bytes_is(line, profile);
}

/* Settings of a profile by which other programs get credentials. */
static const char *const ways[] = { "role_arn", "credential_process",
                                    "sso_session", "sso_start_url",
                                    "web_identity_token_file" };

static void take_pair(struct tn_login *login, struct tn_bytes key,
                      struct tn_bytes value)
{
    if (tn_bytes_is(key, "aws_access_key_id"))
        keep(login->access, sizeof login->access, value);
    else if (tn_bytes_is(key, "aws_secret_access_key"))
        keep(login->secret, sizeof login->secret, value);
    else if (tn_bytes_is(key, "aws_session_token"))
        keep(login->token, sizeof login->token, value);
    else if (tn_bytes_is(key, "region"))
        keep(login->region, sizeof login->region, value);
    else if (tn_bytes_is(key, "endpoint_url"))
        keep(login->endpoint, sizeof login->endpoint, value);
    else if (tn_bytes_is(key, "services"))
        keep(login->services, sizeof login->services, value);
    else
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
            if (tn_bytes_is(key, ways[i]))
                keep(login->how, sizeof login->how, key);
}

/* A line with content: "[section]", or "key = value".  Indented lines belong to
 * a setting without a value. */
struct setting {
    struct tn_bytes line, key, value;
    bool            is_section, is_inner, has_inner;
};

static bool next_setting(struct tn_bytes *text, struct setting *s)
{
    while (text->size) {
        const uint8_t *end  = tn_bytes_find(*text, '\n');
        size_t         size = end ? (size_t)(end - text->data) : text->size;
        bool           is_indented = *text->data == ' ' || *text->data == '\t';

        s->line = trim(tn_bytes(text->data, size));
        size += end != NULL;
        *text                 = tn_bytes(text->data + size, text->size - size);
        const uint8_t *equals = tn_bytes_find(s->line, '=');
        if (s->line.size == 0 || s->line.data[0] == '#' ||
            s->line.data[0] == ';')
            continue;
        s->is_section = s->line.data[0] == '[';
        s->is_inner   = !s->is_section && s->has_inner && is_indented;
        if (s->is_section)
            s->has_inner = false;
        else if (equals) {
            size_t name = (size_t)(equals - s->line.data);
            s->key      = trim(tn_bytes(s->line.data, name));
            s->value    = trim(tn_bytes(equals + 1, s->line.size - name - 1));
            if (!s->is_inner)
                s->has_inner = !s->value.size;
        } else
            continue;
        return true;
    }
    return false;
}

/* "[services name]", "s3 =", "  endpoint_url = ..."; it goes before that of the
 * profile. */
static void take_service(struct tn_login *login, struct tn_bytes text)
{
    struct setting s      = { 0 };
    bool           is_our = false, is_store = false;
    char           name[TN_PLACE_KEY + 16];

    snprintf(name, sizeof name, "services %s", login->services);
    while (next_setting(&text, &s)) {
        if (s.is_section)
            is_our = is_section(s.line, name);
        else if (!s.is_inner)
            is_store = is_our && tn_bytes_is(s.key, "s3");
        else if (is_store && tn_bytes_is(s.key, "endpoint_url")) {
            login->endpoint[0] = '\0';
            keep(login->endpoint, sizeof login->endpoint, s.value);
        }
    }
}

void tn_login_parse(struct tn_login *login, struct tn_bytes text,
                    const char *profile)
{
    struct setting  s       = { 0 };
    struct tn_bytes rest    = text;
    bool            is_ours = false;

    while (next_setting(&rest, &s))
        if (s.is_section) {
            is_ours = is_section(s.line, profile);
            login->has_profile |= is_ours;
        } else if (is_ours && !s.is_inner)
            take_pair(login, s.key, s.value);
    if (login->services[0])
        take_service(login, text);
}

/* A small text file; empty if it is not there. */
static enum tn_status read_small(const char *path, char *to, size_t room,
                                 size_t *size, struct tn_error *error)
{
    int file = tn_path_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);

    *size = 0;
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
        return TN_OK;
    while (file >= 0 && *size < room) {
        ssize_t n = read(file, to + *size, room - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            room = n < 0 ? 0 : room;
            break;
        }
        *size += (size_t)n;
    }
    if (file >= 0)
        close(file);
    if (file >= 0 && *size < room)
        return TN_OK;
    *size = 0;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "cannot read the credentials in %.200s", path);
}

/* The file that a variable names, else one in the home folder. */
static bool file_of(char *path, size_t room, const char *variable,
                    const char *below)
{
    const char *named = environment(variable), *home = environment("HOME");

    if (named)
        return (size_t)snprintf(path, room, "%s", named) < room;
    return home && (size_t)snprintf(path, room, "%s/%s", home, below) < room;
}

static enum tn_status read_profile(struct tn_login *login, const char *variable,
                                   const char *below, char *text,
                                   struct tn_error *error)
{
    const char *profile = environment("AWS_PROFILE");
    char        path[1024];
    size_t      size;

    if (!file_of(path, sizeof path, variable, below))
        return TN_OK;
    TN_TRY(read_small(path, text, MOST_OF_FILE, &size, error));
    tn_login_parse(login, tn_bytes(text, size), profile ? profile : "default");
    return TN_OK;
}

/* What a user can do when a store wants credentials and there are none. */
static void say_missing(struct tn_login *login, const struct tn_login *filed)
{
    const char *profile = environment("AWS_PROFILE");

    if (filed->how[0])
        snprintf(login->problem, sizeof login->problem,
                 "the profile gets its credentials by %s, which is not known "
                 "here: put what \"aws configure export-credentials\" prints "
                 "into the environment",
                 filed->how);
    else if (profile && !filed->has_profile)
        snprintf(
            login->problem, sizeof login->problem,
            "there is no profile %.60s (AWS_PROFILE) in ~/.aws/credentials "
            "and ~/.aws/config",
            profile);
    else
        snprintf(login->problem, sizeof login->problem,
                 "there are none in AWS_ACCESS_KEY_ID and "
                 "AWS_SECRET_ACCESS_KEY, and none in ~/.aws/credentials");
}

/* Half of a pair from the environment and half from a file is no pair. */
static enum tn_status read_s3(struct tn_login *login, char *text,
                              struct tn_error *error)
{
    struct tn_login filed = { 0 };

    keep_variable(login->region, sizeof login->region, "AWS_REGION");
    keep_variable(login->region, sizeof login->region, "AWS_DEFAULT_REGION");
    keep_variable(login->access, sizeof login->access, "AWS_ACCESS_KEY_ID");
    keep_variable(login->secret, sizeof login->secret, "AWS_SECRET_ACCESS_KEY");
    keep_variable(login->token, sizeof login->token, "AWS_SESSION_TOKEN");
    TN_TRY(read_profile(&filed, "AWS_SHARED_CREDENTIALS_FILE",
                        ".aws/credentials", text, error));
    TN_TRY(read_profile(&filed, "AWS_CONFIG_FILE", ".aws/config", text, error));
    if (!login->access[0] || !login->secret[0]) {
        memcpy(login->access, filed.access, sizeof login->access);
        memcpy(login->secret, filed.secret, sizeof login->secret);
        memcpy(login->token, filed.token, sizeof login->token);
    }
    if (!login->region[0])
        memcpy(login->region, filed.region, sizeof login->region);
    if (!environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"))
        memcpy(login->endpoint, filed.endpoint, sizeof login->endpoint);
    keep(login->region, sizeof login->region, tn_text("us-east-1"));
    if (!login->access[0] || !login->secret[0]) {
        login->access[0] = login->secret[0] = login->token[0] = '\0';
        say_missing(login, &filed);
    }
    return TN_OK;
}

static enum tn_status read_hub(struct tn_login *login, char *text,
                               struct tn_error *error)
{
    const char *home = environment("HF_HOME");
    char        path[1024];
    size_t      size = 0;

    keep_variable(login->token, sizeof login->token, "HF_TOKEN");
    if (login->token[0])
        return TN_OK;
    if (home && !environment("HF_TOKEN_PATH"))
        snprintf(path, sizeof path, "%.1000s/token", home);
    else if (!file_of(path, sizeof path, "HF_TOKEN_PATH",
                      ".cache/huggingface/token"))
        path[0] = '\0';
    if (path[0])
        TN_TRY(read_small(path, text, MOST_OF_FILE, &size, error));
    keep(login->token, sizeof login->token, trim(tn_bytes(text, size)));
    if (!login->token[0])
        snprintf(login->problem, sizeof login->problem,
                 "there is no token in HF_TOKEN, and none in the file of the "
                 "hub's tools");
    return TN_OK;
}

/* What is sent in a header must not end it. */
static bool is_one_line(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

enum tn_status tn_login_read(struct tn_login *login, enum tn_place_kind kind,
                             struct tn_memory *memory, struct tn_error *error)
{
    if (login->is_read || kind == TN_PLACE_WEB)
        return TN_OK;
    char *text = tn_memory_resize(memory, NULL, 0, MOST_OF_FILE, error);
    if (!text)
        return error->status;
    enum tn_status status = kind == TN_PLACE_S3 ? read_s3(login, text, error)
                                                : read_hub(login, text, error);
    explicit_bzero(text, MOST_OF_FILE);
    tn_memory_free(memory, text, MOST_OF_FILE);
    login->is_read = status == TN_OK;
    if (status == TN_OK &&
        !(is_one_line(login->access) && is_one_line(login->secret) &&
          is_one_line(login->token) && is_one_line(login->region)))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a credential has a control character in it");
    return status;
}
