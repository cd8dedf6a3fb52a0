/* remote_cache.c - parts of files on servers, kept on disk */
#define _GNU_SOURCE
#include "io/remote_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/formats.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "codec/crc32c.h"
#include "codec/sha256.h"
#include "io/os.h"

#define DEFAULT_SIZE (UINT64_C(10) << 30)
#define MOST_RANGES  100000 /* of one file */
#define NAME         64

struct range {
    uint64_t begin, size;
};

struct tn_cache {
    struct tn_memory *memory;
    int               root, folder; /* descriptors                            */
    struct tn_list    ranges;       /* struct range, by begin, disjoint       */
    bool              has_grown;
};

/* ---- where it is --------------------------------------------------------- */

static bool find_root(char *path, size_t room)
{
    const char *wanted = getenv("TENON_CACHE");
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int         size = -1;

    if (!wanted || !wanted[0] || !strcmp(wanted, "0"))
        return false;
    if (wanted[0] == '/')
        size = snprintf(path, room, "%s", wanted);
    else if (cache && cache[0] == '/')
        size = snprintf(path, room, "%s/tenon", cache);
    else if (home && home[0] == '/')
        size = snprintf(path, room, "%s/.cache/tenon", home);
    return size > 0 && (size_t)size < room;
}

static void make_folders(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL;
         slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

static bool find_limit(uint64_t *size)
{
    const char *text = getenv("TENON_CACHE_SIZE");

    *size = DEFAULT_SIZE;
    return !text || !text[0] || tn_parse_size(text, size);
}

enum tn_status tn_cache_check(struct tn_error *error)
{
    const char *wanted = getenv("TENON_CACHE");
    uint64_t    size;

    if (!wanted || !wanted[0] || !strcmp(wanted, "0"))
        return TN_OK;
    if (wanted[0] != '/' && strcmp(wanted, "1") != 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "TENON_CACHE is '%.100s', but should be 1, 0, or "
                            "a path that begins with '/'",
                            wanted);
    if (!find_limit(&size))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "TENON_CACHE_SIZE is '%.100s', but should be a "
                            "number of bytes, such as 20GB",
                            getenv("TENON_CACHE_SIZE"));
    return TN_OK;
}

static void name_version(char name[NAME], const char *url, const char *etag,
                         uint64_t size)
{
    struct tn_sha256 hash;
    uint8_t          digest[TN_SHA256_SIZE];
    char             number[24];

    snprintf(number, sizeof number, "%" PRIu64, size);
    tn_sha256_init(&hash);
    tn_sha256_add(&hash, tn_bytes(url, strlen(url) + 1));
    tn_sha256_add(&hash, tn_bytes(etag, strlen(etag) + 1));
    tn_sha256_add(&hash, tn_text(number));
    tn_sha256_finish(&hash, digest);
    for (int i = 0; i < 24; i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
}

/* ---- ranges -------------------------------------------------------------- */

static const struct range *range_at(const struct tn_cache *c, uint64_t i)
{
    return tn_list_at(&c->ranges, struct range, i);
}

/* The index of the first range that ends after `offset`. */
static uint64_t range_after(const struct tn_cache *c, uint64_t offset)
{
    uint64_t at;

    TN_BISECT(at, 0, c->ranges.count,
              range_at(c, at)->begin + range_at(c, at)->size <= offset);
    return at;
}

static void drop_range(struct tn_cache *c, uint64_t index)
{
    struct range *r = tn_list_at(&c->ranges, struct range, index);

    memmove(r, r + 1, (size_t)(c->ranges.count - index - 1) * sizeof *r);
    c->ranges.count--;
}

static bool insert_range(struct tn_cache *c, uint64_t begin, uint64_t size)
{
    uint64_t        index = range_after(c, begin);
    struct tn_error own   = TN_ERROR_INIT;

    if (c->ranges.count >= MOST_RANGES ||
        (index < c->ranges.count && range_at(c, index)->begin < begin + size) ||
        !tn_list_push(&c->ranges, struct range, &own))
        return false;
    struct range *r = tn_list_at(&c->ranges, struct range, index);
    memmove(r + 1, r, (size_t)(c->ranges.count - 1 - index) * sizeof *r);
    *r = (struct range){ begin, size };
    return true;
}

/* "BEGIN-SIZE", in decimal. */
static bool parse_name(const char *name, uint64_t *begin, uint64_t *size)
{
    char extra, text[NAME];

    if (sscanf(name, "%19" SCNu64 "-%19" SCNu64 "%c", begin, size, &extra) != 2)
        return false;
    snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64, *begin, *size);
    return !strcmp(text, name) && *size > 0 && *size < UINT64_C(1) << 32;
}

static void list_ranges(struct tn_cache *c, uint64_t file_size)
{
    int      copy = openat(c->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR     *entries = copy < 0 ? NULL : fdopendir(copy);
    uint64_t begin, size;

    if (!entries && copy >= 0)
        close(copy);
    for (struct dirent *e; entries && (e = readdir(entries)) != NULL;)
        if (parse_name(e->d_name, &begin, &size) && begin < file_size &&
            size <= file_size - begin)
            (void)insert_range(c, begin, size);
    if (entries)
        closedir(entries);
}

void tn_cache_forget(struct tn_cache *c, uint64_t begin)
{
    uint64_t index = range_after(c, begin);

    if (index < c->ranges.count && range_at(c, index)->begin == begin)
        drop_range(c, index);
}

bool tn_cache_find(const struct tn_cache *c, uint64_t offset, uint64_t *begin,
                   uint64_t *size)
{
    uint64_t index = c ? range_after(c, offset) : 0;

    *begin = UINT64_MAX;
    *size  = 0;
    if (!c || index == c->ranges.count)
        return false;
    *begin = range_at(c, index)->begin;
    *size  = range_at(c, index)->size;
    return *begin <= offset;
}

/* ---- files --------------------------------------------------------------- */

static bool read_all(int file, uint8_t *to, size_t size)
{
    while (size) {
        ssize_t n = read(file, to, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_all(int file, const uint8_t *from, size_t size)
{
    while (size) {
        ssize_t n = write(file, from, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        size -= (size_t)n;
    }
    return true;
}

/* Of the bytes and where they belong. */
static void checksum(uint64_t begin, struct tn_bytes bytes, uint8_t sum[4])
{
    uint32_t crc = tn_crc32c(0, &begin, sizeof begin);

    crc = tn_crc32c(crc, bytes.data, bytes.size);
    for (int i = 0; i < 4; i++)
        sum[i] = (uint8_t)(crc >> (8 * i));
}

bool tn_cache_read(struct tn_cache *c, uint64_t begin, uint64_t size,
                   uint8_t *to)
{
    char    name[NAME];
    uint8_t stored[4], sum[4], more;

    snprintf(name, sizeof name, "%" PRIu64 "-%" PRIu64, begin, size);
    int  file    = openat(c->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool is_good = file >= 0 && read_all(file, to, (size_t)size) &&
                   read_all(file, stored, sizeof stored) &&
                   read(file, &more, 1) == 0;
    if (is_good) {
        checksum(begin, tn_bytes(to, (size_t)size), sum);
        is_good = memcmp(sum, stored, sizeof sum) == 0;
    }
    if (is_good) /* it was used now */
        (void)futimens(file, NULL);
    if (file >= 0)
        close(file);
    if (is_good)
        return true;
    unlinkat(c->folder, name, 0);
    tn_cache_forget(c, begin);
    return false;
}

void tn_cache_keep(struct tn_cache *c, uint64_t begin, struct tn_bytes bytes)
{
    char    name[NAME], temporary[NAME];
    uint8_t sum[4], letters[8];

    if (!c || !bytes.size || !insert_range(c, begin, bytes.size))
        return;
    tn_os->random_bytes(letters, sizeof letters);
    snprintf(name, sizeof name, "%" PRIu64 "-%zu", begin, bytes.size);
    snprintf(temporary, sizeof temporary, ".%02x%02x%02x%02x%02x%02x%02x%02x",
             letters[0], letters[1], letters[2], letters[3], letters[4],
             letters[5], letters[6], letters[7]);
    int file =
        openat(c->folder, temporary,
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    checksum(begin, bytes, sum);
    bool is_written = file >= 0 && write_all(file, bytes.data, bytes.size) &&
                      write_all(file, sum, sizeof sum);
    if (file >= 0)
        is_written &= close(file) == 0;
    if (!is_written || renameat(c->folder, temporary, c->folder, name) != 0) {
        unlinkat(c->folder, temporary, 0);
        drop_range(c, range_after(c, begin));
    } else
        c->has_grown = true;
}

/* ---- its size ------------------------------------------------------------ */

struct kept {
    char     path[NAME + 256];
    int64_t  used; /* nanoseconds                                             */
    uint64_t size;
};

static int by_use(const void *a, const void *b, void *context)
{
    const struct kept *x = a, *y = b;

    (void)context;
    return (x->used > y->used) - (x->used < y->used);
}

static void list_folder(int root, const char *folder, struct tn_list *all,
                        uint64_t *total)
{
    struct tn_error own = TN_ERROR_INIT;
    int             file =
        openat(root, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR        *entries = file < 0 ? NULL : fdopendir(file);
    struct stat about;

    if (!entries && file >= 0)
        close(file);
    for (struct dirent *e; entries && (e = readdir(entries)) != NULL;) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            strlen(e->d_name) >= NAME ||
            fstatat(file, e->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        struct kept *k = tn_list_push(all, struct kept, &own);
        if (!k)
            break;
        snprintf(k->path, sizeof k->path, "%s/%s", folder, e->d_name);
        k->size = (uint64_t)about.st_size;
        k->used =
            (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
        *total += k->size;
    }
    if (entries)
        closedir(entries);
}

/* Only what has names of ours: the folder may be shared with other files. */
static bool is_version(const char *name)
{
    return strlen(name) == 48 && strspn(name, "0123456789abcdef") == 48;
}

static void shrink(const struct tn_cache *c)
{
    uint64_t       total = 0, limit;
    struct tn_list all;
    int  file    = openat(c->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = file < 0 ? NULL : fdopendir(file);

    if (!find_limit(&limit))
        limit = DEFAULT_SIZE;
    if (!entries && file >= 0)
        close(file);
    tn_list_init(&all, c->memory, sizeof(struct kept));
    for (struct dirent *e; entries && (e = readdir(entries)) != NULL;)
        if (is_version(e->d_name))
            list_folder(c->root, e->d_name, &all, &total);
    if (total > limit)
        tn_sort_items(all.items, all.count, sizeof(struct kept), by_use, NULL);
    for (uint64_t i = 0; i < all.count && total > limit; i++) {
        struct kept *k = tn_list_at(&all, struct kept, i);
        if (unlinkat(c->root, k->path, 0) == 0)
            total -= k->size;
        *strchr(k->path, '/') = '\0';
        unlinkat(c->root, k->path, AT_REMOVEDIR); /* if it is empty now */
    }
    tn_list_done(&all);
    if (entries)
        closedir(entries);
}

/* ---- open and close ------------------------------------------------------ */

struct tn_cache *tn_cache_open(struct tn_memory *memory, const char *url,
                               const char *etag, uint64_t size)
{
    struct tn_error own = TN_ERROR_INIT;
    char            path[2048], name[NAME];

    if (!find_root(path, sizeof path))
        return NULL;
    struct tn_cache *c =
        tn_memory_resize(memory, NULL, 0, sizeof(struct tn_cache), &own);
    if (!c)
        return NULL;
    *c = (struct tn_cache){ .memory = memory, .root = -1, .folder = -1 };
    tn_list_init(&c->ranges, memory, sizeof(struct range));
    make_folders(path);
    name_version(name, url, etag, size);
    c->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->root >= 0)
        mkdirat(c->root, name, 0700);
    if (c->root >= 0)
        c->folder = openat(c->root, name,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (c->folder < 0) {
        tn_cache_close(c);
        return NULL;
    }
    list_ranges(c, size);
    return c;
}

void tn_cache_close(struct tn_cache *c)
{
    if (!c)
        return;
    if (c->has_grown)
        shrink(c);
    if (c->folder >= 0)
        close(c->folder);
    if (c->root >= 0)
        close(c->root);
    tn_list_done(&c->ranges);
    tn_memory_free(c->memory, c, sizeof *c);
}
