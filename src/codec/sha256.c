/*
 * sha256.c - content identity, by OpenSSL's libcrypto
 *
 * The low-level calls: no provider is loaded, nothing is allocated, and two
 * hashes share no state.  They are deprecated by name only.
 */
#define OPENSSL_API_COMPAT 0x10100000L
#include "codec/sha256.h"

#include <assert.h>
#include <openssl/sha.h>

static_assert(sizeof(SHA256_CTX) <= sizeof(((struct tn_sha256 *)0)->state),
              "libcrypto's context must fit");
static_assert(SHA256_DIGEST_LENGTH == TN_SHA256_SIZE, "a digest is a digest");

static SHA256_CTX *context(struct tn_sha256 *hash)
{
    return (SHA256_CTX *)(void *)hash->state;
}

static enum tn_status hash_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    (void)error;
    SHA256_Update(context((struct tn_sha256 *)sink), bytes.data, bytes.size);
    return TN_OK;
}

static const struct tn_sink_ops hash_ops = { .write = hash_write };

void tn_sha256_init(struct tn_sha256 *hash)
{
    *hash = (struct tn_sha256){ .sink = { .ops = &hash_ops } };
    SHA256_Init(context(hash));
}

void tn_sha256_add(struct tn_sha256 *hash, struct tn_bytes bytes)
{
    if (bytes.size)
        SHA256_Update(context(hash), bytes.data, bytes.size);
    hash->sink.offset += bytes.size;
}

void tn_sha256_finish(struct tn_sha256 *hash, uint8_t digest[TN_SHA256_SIZE])
{
    SHA256_Final(digest, context(hash));
}
