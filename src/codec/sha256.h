/* sha256.h - content identity, by OpenSSL's libcrypto */
#ifndef TN_CODEC_SHA256_H
#define TN_CODEC_SHA256_H

#include "base/byte_view.h"
#include "base/sink.h"

#define TN_SHA256_SIZE 32

/* A sink that hashes what it is given. */
struct tn_sha256 {
    struct tn_sink sink;       /* first */
    uint64_t       state[24];  /* holds libcrypto's SHA256_CTX                */
};

void tn_sha256_init(struct tn_sha256 *hash);
void tn_sha256_add(struct tn_sha256 *hash, struct tn_bytes bytes);
void tn_sha256_finish(struct tn_sha256 *hash, uint8_t digest[TN_SHA256_SIZE]);

#endif
