/* sdnb_shards.c - BASE.shard<i>-of-<n>.sdnb: which files make a model */
#include "format/samediff/sdnb.h"

#define SHARD_LIMIT 100000

/* Reads back to front: a decimal number before `end`. */
static bool number_before(struct tn_bytes name, size_t *end, uint32_t *value)
{
    size_t   begin = *end;
    uint64_t scale = 1, sum = 0;

    while (begin > 0 && name.data[begin - 1] >= '0' &&
           name.data[begin - 1] <= '9' && sum < SHARD_LIMIT) {
        sum += scale * (uint64_t)(name.data[--begin] - '0');
        scale *= 10;
    }
    if (begin == *end || sum > SHARD_LIMIT)
        return false;
    *end   = begin;
    *value = (uint32_t)sum;
    return true;
}

static bool word_before(struct tn_bytes name, size_t *end, const char *word)
{
    size_t size = strlen(word);

    if (*end < size || memcmp(name.data + *end - size, word, size) != 0)
        return false;
    *end -= size;
    return true;
}

bool tn_sdnb_shard_name(struct tn_bytes name, struct tn_sdnb_shard *shard)
{
    size_t end = name.size;

    shard->has_suffix = word_before(name, &end, TN_SDNB_SUFFIX);
    if (!number_before(name, &end, &shard->count) ||
        !word_before(name, &end, "-of-") ||
        !number_before(name, &end, &shard->index) ||
        !word_before(name, &end, ".shard"))
        return false;
    shard->base = tn_bytes(name.data, end);
    return shard->count > 0 && shard->index < shard->count;
}

/* Of a folder: its shards, when they are those of one model. */
static const char *choose(struct tn_bundle *bundle, struct tn_error *error)
{
    const char *const   *names;
    uint64_t             count;
    const char          *found = NULL;
    struct tn_sdnb_shard first = { 0 }, shard;

    if (tn_bundle_list(bundle, "", &names, &count, error) != TN_OK)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (!tn_sdnb_shard_name(tn_text(names[i]), &shard))
            continue;
        if (found && (!tn_bytes_equal(first.base, shard.base) ||
                      first.count != shard.count)) {
            tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                         "shards of several models in this folder: open one, "
                         "such as %s",
                         names[i]);
            return NULL;
        }
        found = names[i];
        first = shard;
    }
    if (!found)
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                     "no SDNB shard in this folder");
    return found;
}

static enum tn_status open_shards(struct tn_bundle           *bundle,
                                  const struct tn_sdnb_shard *shard,
                                  const char *name, bool is_lax,
                                  struct tn_source **files,
                                  struct tn_error   *error)
{
    for (uint32_t i = 0; i < shard->count; i++) {
        const char *other = tn_text_format(
            &bundle->arena, error, "%.*s.shard%" PRIu32 "-of-%" PRIu32 "%s",
            TN_FMT(shard->base), i, shard->count,
            shard->has_suffix ? TN_SDNB_SUFFIX : "");
        if (!other)
            return error->status;
        if (bundle->main && strcmp(other, name) == 0)
            files[i] = bundle->main;
        else if ((i == 0 || !is_lax || tn_bundle_has(bundle, other)) &&
                 tn_bundle_sibling(bundle, tn_text(other), &files[i], error) !=
                     TN_OK) {
            if (i > 0 && error->reason == TN_REASON_MISSING_FILE)
                error->reason = TN_REASON_MISSING_SHARD;
            return error->status;
        }
    }
    return TN_OK;
}

enum tn_status tn_sdnb_siblings(struct tn_bundle *bundle, bool is_lax,
                                struct tn_source ***files, uint32_t *count,
                                struct tn_error *error)
{
    const char *name = bundle->main ? bundle->name : choose(bundle, error);
    struct tn_sdnb_shard shard;

    if (!name)
        return error->status;
    bool is_shard = tn_sdnb_shard_name(tn_text(name), &shard) &&
                    (!bundle->main || bundle->folder >= 0 || shard.count == 1);
    *count = is_shard ? shard.count : 1;
    *files = tn_new(&bundle->arena, struct tn_source *, *count, error);
    if (!*files)
        return error->status;
    if (is_shard)
        return open_shards(bundle, &shard, name, is_lax, *files, error);
    (*files)[0] = bundle->main;
    return TN_OK;
}

const char *tn_sdnb_stale(struct tn_bundle *bundle)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_bytes      base  = tn_text(bundle->name);
    const char *const   *names;
    uint64_t             count;
    struct tn_sdnb_shard shard;

    if (!bundle->main || bundle->folder < 0 ||
        tn_sdnb_shard_name(base, &shard) ||
        tn_bundle_list(bundle, "", &names, &count, &error) != TN_OK)
        return "";
    for (size_t i = base.size; i-- > 0;)
        if (base.data[i] == '.') {
            base.size = i; /* without its last extension */
            break;
        }
    for (uint64_t i = 0; i < count; i++)
        if (tn_sdnb_shard_name(tn_text(names[i]), &shard) &&
            tn_bytes_equal(shard.base, base))
            return names[i];
    return "";
}
