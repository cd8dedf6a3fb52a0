/* scan_bytes.c - what a file or member is, by its bytes, and how it is scanned */
#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/expand.h"
#include "base/little.h"
#include "codec/deflate.h"
#include "scan/scan.h"

#define HEAD_SIZE 512
#define NPY_LIMIT (UINT64_C(1) << 20) /* of the header of an array          */
#define TAIL_SIZE (UINT64_C(22) + UINT16_MAX) /* of a zip, with a comment   */

void tn_scan_tell(struct tn_scan *scan, enum tn_verdict verdict,
                  const char *rule, uint64_t offset, const char *format, ...)
{
    char    what[512];
    va_list arguments;

    if (scan->is_stopped || tn_failed(scan->error))
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *member = tn_buffer_string(&scan->member);
    struct tn_scan_finding finding = {
        .verdict = verdict,
        .rule    = rule,
        .file    = scan->file,
        .member  = member,
        .offset  = offset,
        .what    = what,
    };
    scan->is_stopped = scan->each && scan->each(scan->context, &finding);
    scan->totals->findings[verdict]++;
    if ((int)verdict > scan->worst)
        scan->worst = (int)verdict;
}

void tn_scan_absorb(struct tn_scan *scan, const struct tn_error *own)
{
    if (tn_machine_failed(own))
        *scan->error = *own;
    else if (tn_failed(own))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "unreadable", own->offset,
                     "cannot be read to the end: %s", own->what);
}

/* ---- what cannot be looked into ------------------------------------------ */

/* Elements may begin with any bytes, so a short magic counts only for whole
 * files. */
static const struct {
    const char *magic;
    size_t      size;
    const char *what;
} closed[] = {
    { "7z\xbc\xaf\x27\x1c", 6, "a 7z archive" },
    { "Rar!\x1a\x07", 6, "a RAR archive" },
    { "\x1f\x8b\x08", 3, "gzip data" },
    { "BZh", 3, "bzip2 data" },
    { "\xfd"
      "7zXZ",
      5, "xz data" },
    { "\x28\xb5\x2f\xfd", 4, "zstd data" },
    { "\x37\xa4\x30\xec", 4, "a zstd dictionary" },
    { "\x04\x22\x4d\x18", 4, "LZ4 data" },
    { "\x02\x21\x4c\x18", 4, "LZ4 data" },
    { "\xff\x06\0\0sNaPpY", 10, "snappy data" },
    { "MSCF", 4, "a cabinet archive" },
    { "!<arch>\n", 8, "an ar archive" },
    { "070701", 6, "a cpio archive" },
    { "070702", 6, "a cpio archive" },
    { "070707", 6, "a cpio archive" },
    { "LZIP", 4, "lzip data" },
    { "\x60\xea", 2, "an ARJ archive" },
    { "\xed\xab\xee\xdb", 4, "an RPM package" },
    { "xar!", 4, "a XAR archive" },
    { "MSWIM\0\0\0", 8, "a WIM archive" },
    { "hsqs", 4, "a SquashFS image" },
    { "sqsh", 4, "a SquashFS image" },
    { "\x45\x3d\xcd\x28", 4, "a cramfs image" },
    { "\x89LZO\0\r\n\x1a\n", 9, "lzop data" },
    { "LRZI", 4, "lrzip data" },
    { "7kSt\xa0\x31\x83\xd3", 8, "a ZPAQ archive" },
    { "ALZ\1", 4, "an ALZip archive" },
    { "EGGA", 4, "an EGG archive" },
    { "SZDD\x88\xf0\x27\x33", 8, "data of compress.exe" },
    { "SIT!", 4, "a StuffIt archive" },
    { "StuffIt ", 8, "a StuffIt archive" },
    { "ZOO 2", 5, "a ZOO archive" },
    { "\xc7\x71", 2, "a cpio archive" },
    { "\x1f\x9d", 2, "data of compress" },
    { "\x1f\xa0", 2, "data of compress" },
    { "\x1f\x1e", 2, "data of pack" },
    { "conectix", 8, "an image of a disk (VHD)" },
    { "vhdxfile", 8, "an image of a disk (VHDX)" },
    { "QFI\xfb", 4, "an image of a disk (QCOW)" },
    { "KDMV", 4, "an image of a disk (VMDK)" },
    { "COWD", 4, "an image of a disk (VMDK)" },
    { "# Disk DescriptorFile", 21, "an image of a disk (VMDK)" },
    { "XFSB", 4, "an image of a file system (XFS)" },
    { "-rom1fs-", 8, "an image of a file system (romfs)" },
    { "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8,
      "an OLE file, as installers and documents of Microsoft are" },
    { "ITSF\3\0\0\0", 8, "a CHM archive" },
    { "bvx1", 4, "LZFSE data" },
    { "bvx2", 4, "LZFSE data" },
    { "bvxn", 4, "LZFSE data" },
    { "bvx-", 4, "LZFSE data" },
    { "pbzx", 4, "data of pbzx" },
    { "AA01", 4, "an archive of Apple" },
    { "YAA1", 4, "an archive of Apple" },
    { "RZIP", 4, "rzip data" },
    { "KWAJ\x88\xf0\x27\xd1", 8, "data of compress.exe" },
    /* Files that joblib compresses begin like this. */
    { "ZF0x", 4, "zlib data of joblib" },
    { "\x5d\0", 2, "LZMA data" },
    { "\x78\x01", 2, "zlib data" },
    { "\x78\x5e", 2, "zlib data" },
    { "\x78\x9c", 2, "zlib data" },
    { "\x78\xda", 2, "zlib data" },
};

/* Images of disks and of file systems, by what is not at their beginning; an
 * offset below zero counts from the end. */
static const struct {
    int64_t     at;
    const char *magic;
    size_t      size;
    const char *what;
} images[] = {
    { 0x20, "NXSB", 4, "an image of a file system (APFS)" },
    { 0x40, "\x7f\x10\xda\xbe", 4, "an image of a disk (VDI)" },
    { 0x200, "EFI PART", 8, "an image of a disk" },
    { 0x1000, "EFI PART", 8, "an image of a disk" },
    { 0x400, "\xe2\xe1\xf5\xe0", 4, "an image of a file system (EROFS)" },
    { 0x400, "\x10\x20\xf5\xf2", 4, "an image of a file system (F2FS)" },
    { 0x400, "H+\0\4", 4, "an image of a file system (HFS+)" },
    { 0x400, "HX\0\5", 4, "an image of a file system (HFS+)" },
    { 0x8001, "CD001", 5, "an image of a CD" },
    { 0x8001, "BEA01", 5, "an image of a DVD" },
    { 0x9311, "CD001", 5, "an image of a CD" }, /* sectors with headers */
    { 0x9319, "CD001", 5, "an image of a CD" },
    { 0x10040, "_BHRfS_M", 8, "an image of a file system (btrfs)" },
    { -512, "koly\0\0\0\4", 8, "an image of a disk (DMG)" },
    { -512, "conectix", 8, "an image of a disk (VHD)" },
};

static bool begins_with(struct tn_bytes head, size_t at, const char *magic,
                        size_t size)
{
    return head.size >= at + size && !memcmp(head.data + at, magic, size);
}

/* A frame that zstd and LZ4 skip; the one that counts is after it. */
static bool is_skipped_frame(struct tn_bytes head)
{
    return head.size >= 8 && head.data[0] >> 4 == 5 &&
           begins_with(head, 1, "\x2a\x4d\x18", 3);
}

/* A stream of zlib, whatever its window and level: its two bytes are a multiple
 * of 31, and what follows unpacks.  Elements hardly ever do. */
static bool is_zlib(struct tn_scan *scan, struct tn_bytes head)
{
    enum { LEAST = 8 };
    uint8_t           out[64];
    struct tn_error   own = TN_ERROR_INIT;
    struct tn_stream *stream;
    struct tn_flow    flow = { .out = out, .room = sizeof out };

    if (head.size < LEAST || (head.data[0] & 15) != 8 || head.data[0] > 0x78 ||
        (head.data[0] << 8 | head.data[1]) % 31 || head.data[1] & 0x20)
        return false;
    flow.in = tn_bytes(head.data + 2, head.size - 2);
    if (tn_deflate_unpacker(&stream, scan->memory, 2, &own) == TN_OK)
        stream->ops->step(stream, &flow, &own);
    tn_stream_close(stream);
    if (tn_machine_failed(&own))
        *scan->error = own;
    return !tn_failed(&own) && (flow.is_done || flow.room == 0) &&
           flow.room < sizeof out;
}

/* A stream of LZMA alone has no magic, but a size that is left open or can be,
 * a dictionary of a usual size, and a zero where its code begins. */
static bool is_lzma(struct tn_bytes head)
{
    enum { PROPERTIES = 225, HEADER = 13, LEAST = 4096 };

    if (head.size < HEADER + 5 || head.data[0] >= PROPERTIES ||
        head.data[HEADER] != 0)
        return false;
    uint32_t dictionary = tn_load32(head.data + 1);
    uint64_t size       = tn_load64(head.data + 5);
    uint32_t rest       = dictionary & (dictionary - 1); /* without one bit */
    return dictionary >= LEAST && !(rest & (rest - 1)) &&
           (size == UINT64_MAX ||
            (head.data[0] == 0x5d && size && size >> 38 == 0));
}

static const char *packed_as(struct tn_scan *scan, struct tn_bytes head)
{
    if (is_skipped_frame(head))
        return "zstd or LZ4 data";
    if (begins_with(head, 2, "-lh", 3) && begins_with(head, 6, "-", 1))
        return "an LZH archive";
    if (begins_with(head, 7, "**ACE**", 7))
        return "an ACE archive";
    if (is_lzma(head))
        return "LZMA data";
    return is_zlib(scan, head) ? "zlib data" : NULL;
}

/* A sector that a computer starts from: a list of four parts of the disk, or a
 * jump over what describes a file system. */
static bool is_boot_sector(struct tn_bytes head)
{
    bool is_list = true;

    if (head.size < 512 || head.data[510] != 0x55 || head.data[511] != 0xaa)
        return false;
    for (size_t at = 446; at < 510; at += 16)
        is_list = is_list && (head.data[at] & 0x7f) == 0;
    return is_list || head.data[0] == 0xeb || head.data[0] == 0xe9;
}

/* The superblock of ext2 to ext4: two bytes, and the size of blocks. */
static bool is_ext(const uint8_t block[64])
{
    return block[56] == 0x53 && block[57] == 0xef && tn_load32(block + 24) <= 6;
}

/* What the image is of; NULL: it is none. */
static const char *image_of(struct tn_scan *scan, struct tn_source *source,
                            struct tn_bytes head)
{
    enum { SUPERBLOCK = 0x400 };
    struct tn_error own = TN_ERROR_INIT;
    uint8_t         bytes[64];

    if (is_boot_sector(head))
        return "an image of a disk";
    if (source->size >= SUPERBLOCK + sizeof bytes &&
        tn_source_read(source, SUPERBLOCK, bytes, sizeof bytes, &own) ==
            TN_OK &&
        is_ext(bytes))
        return "an image of a file system (ext4)";
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        uint64_t back = images[i].at < 0 ? (uint64_t)-images[i].at : 0;
        uint64_t at   = back ? source->size - back : (uint64_t)images[i].at;
        if (back > source->size || !tn_inside(at, images[i].size, source->size))
            continue;
        if (tn_source_read(source, at, bytes, images[i].size, &own) != TN_OK)
            break;
        if (memcmp(bytes, images[i].magic, images[i].size) == 0)
            return images[i].what;
    }
    if (tn_machine_failed(&own))
        *scan->error = own; /* others tell what else fails */
    return NULL;
}

/* `is_part`: where other bytes than a file's own may stand at the beginning. */
static void tell_closed(struct tn_scan *scan, struct tn_source *source,
                        struct tn_bytes head, bool is_part)
{
    const char *what = image_of(scan, source, head);

    for (size_t i = 0; i < sizeof closed / sizeof closed[0] && !what; i++) {
        size_t size = closed[i].size;
        if (!begins_with(head, 0, closed[i].magic, size))
            continue;
        /* In archives: with the flags that gzip has, the block of bzip2. */
        if (is_part && size < 4 &&
            !(closed[i].magic[0] == '\x1f' && head.size > 3 &&
              head.data[3] < 0x20) &&
            !(closed[i].magic[0] == 'B' && begins_with(head, 4, "1AY&SY", 6)))
            continue;
        what = closed[i].what;
    }
    if (!what)
        what = packed_as(scan, head);
    if (what)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "closed", 0,
                     "%s: not looked into; unpack it and scan what is inside",
                     what);
}

/* Programs of Windows: their second header is where the first one says. */
static bool is_pe(struct tn_scan *scan, struct tn_source *source,
                  struct tn_bytes head)
{
    struct tn_error own = TN_ERROR_INIT;
    uint8_t         mark[4];

    if (!begins_with(head, 0, "MZ", 2) || head.size < 64 ||
        tn_load32(head.data + 60) > source->size - sizeof mark)
        return false;
    bool is_read = tn_source_read(source, tn_load32(head.data + 60), mark,
                                  sizeof mark, &own) == TN_OK;
    tn_scan_absorb(scan, &own);
    return is_read && memcmp(mark, "PE\0\0", 4) == 0;
}

/* Programs for a processor or for a virtual machine, which some packages of
 * models contain. */
static const struct {
    const char *magic;
    size_t      size;
    const char *what;
} programs[] = {
    { "\x7f"
      "ELF",
      4, "ELF" },
    { "\xce\xfa\xed\xfe", 4, "Mach-O" },
    { "\xcf\xfa\xed\xfe", 4, "Mach-O" },
    { "\xfe\xed\xfa\xce", 4, "Mach-O" },
    { "\xfe\xed\xfa\xcf", 4, "Mach-O" },
    { "\xca\xfe\xba\xbe", 4, "Mach-O for several, or a class of Java" },
    { "\0asm\1\0\0\0", 8, "WebAssembly" },
    { "dex\n0", 5, "Android" },
    { "BC\xc0\xde", 4, "LLVM" },
};

static void tell_native(struct tn_scan *scan, struct tn_source *source,
                        struct tn_bytes head)
{
    const char *what = is_pe(scan, source, head) ? "PE" : NULL;

    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (begins_with(head, 0, programs[i].magic, programs[i].size))
            what = programs[i].what;
    if (what)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "native-code", 0,
                     "a program or library for a processor (%s)", what);
    if (scan->depth && begins_with(head, 0, "#!/", 3))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "script", 0,
                     "a script in an archive, which names what runs it");
}

/* Objects of Java: what makes them again runs what their classes say. */
static void tell_java(struct tn_scan *scan, struct tn_bytes head)
{
    if (begins_with(head, 0, "\xac\xed\0\5", 4))
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "java-objects", 0,
                     "serialized objects of Java: their classes decide what "
                     "reading them does");
}

/* ---- arrays -------------------------------------------------------------- */

/* Steps over a word, or over any number of the bytes that are listed. */
static bool skip_word(struct tn_bytes *text, const char *word)
{
    size_t size = strlen(word);

    if (!tn_bytes_starts_with(*text, word))
        return false;
    *text = tn_bytes(text->data + size, text->size - size);
    return true;
}

static void skip_any(struct tn_bytes *text, const char *list)
{
    while (text->size && text->data[0] && strchr(list, (char)text->data[0]))
        *text = tn_bytes(text->data + 1, text->size - 1);
}

/* Whether the header says plainly that elements are numbers or texts of one
 * size, as numpy writes it: {'descr': '<f4', 'fortran_order': False, 'shape':
 * (2, 3), }.  Python takes many other forms, some of which name objects without
 * the letter that usually stands for them, or say twice what elements are. */
static bool is_plain_array(struct tn_bytes dict)
{
    if (!skip_word(&dict, "{'descr': '"))
        return false;
    if (dict.size && memchr("<>|=", dict.data[0], 4))
        dict = tn_bytes(dict.data + 1, dict.size - 1);
    if (dict.size == 0 || !memchr("biufcSUVmM?", dict.data[0], 11))
        return false;
    dict = tn_bytes(dict.data + 1, dict.size - 1);
    skip_any(&dict, "0123456789[]abcdefghijklmnopqrstuvwxyz");
    if (!skip_word(&dict, "', 'fortran_order': ") ||
        !(skip_word(&dict, "False") || skip_word(&dict, "True")) ||
        !skip_word(&dict, ", 'shape': ("))
        return false;
    skip_any(&dict, "0123456789, L");
    if (!skip_word(&dict, ")"))
        return false;
    skip_any(&dict, ", ");
    if (!skip_word(&dict, "}"))
        return false;
    skip_any(&dict, " \n");
    return dict.size == 0;
}

/* An array that holds objects is a pickle. */
static void scan_array(struct tn_scan *scan, struct tn_source *source)
{
    struct tn_error  own = TN_ERROR_INIT;
    struct tn_cursor c   = tn_cursor_span(
        (struct tn_span){ source, 0, source->size }, &own);
    const uint8_t *magic = tn_take(&c, 8);
    uint64_t       size  = magic && magic[6] > 1 ? tn_u32(&c) : tn_u16(&c);

    if (size > NPY_LIMIT)
        tn_fail(&c, TN_LIMIT, "the header of an array has %" PRIu64 " bytes",
                size);
    struct tn_bytes dict = tn_take_bytes(&c, size);
    if (tn_failed(&own)) {
        tn_scan_absorb(scan, &own);
        return;
    }
    if (is_plain_array(dict))
        return;
    bool is_said = tn_bytes_contains(dict, tn_text("|O"));
    if (is_said)
        tn_scan_tell(scan, TN_VERDICT_NOTE, "object-array", 0,
                     "an array of Python objects, which is a pickle");
    if (!tn_scan_pickles(scan, (struct tn_span){ source, c.offset,
                                                 source->size - c.offset }) &&
        is_said)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "object-array", c.offset,
                     "no pickle where the objects of the array should be");
}

/* ---- everything ---------------------------------------------------------- */

/* Whether bytes that look like the end of a zip are one: a directory is where
 * they say, or right before them, or an end of 64 bits is. */
static bool is_zip_end(struct tn_source *source, uint64_t at,
                       struct tn_error *own)
{
    uint8_t end[22], mark[4];

    if (source->size - at < sizeof end ||
        tn_source_read(source, at, end, sizeof end, own) != TN_OK)
        return false;
    uint64_t size   = tn_load32(end + 12);
    uint64_t places[] = { tn_load32(end + 16), size <= at ? at - size : 0,
                          at >= 20 ? at - 20 : 0 };
    for (size_t i = 0; i < 3; i++)
        if (source->size >= 4 && places[i] <= source->size - 4 &&
            tn_source_read(source, places[i], mark, 4, own) == TN_OK &&
            (!memcmp(mark, "PK\1\2", 4) || !memcmp(mark, "PK\6\7", 4)))
            return true;
    return tn_load16(end + 8) == 0 && size == 0 && tn_load32(end + 4) == 0;
}

/* Readers of zips look for the last end: something may be before it. */
uint64_t tn_scan_find_zip(struct tn_scan *scan, struct tn_source *source)
{
    uint8_t         tail[4096];
    uint64_t        left = tn_min(source->size, TAIL_SIZE);
    uint64_t        last = TN_NOWHERE;
    struct tn_error own  = TN_ERROR_INIT;

    for (uint64_t at = source->size - left; left >= 22 && !tn_failed(&own);) {
        size_t n = (size_t)tn_min(left, sizeof tail);
        if (tn_source_read(source, at, tail, n, &own) != TN_OK)
            break;
        for (size_t i = 0; i + 4 <= n; i++)
            if (memcmp(tail + i, "PK\5\6", 4) == 0 &&
                is_zip_end(source, at + i, &own))
                last = at + i;
        if (n == left)
            break;
        at += n - 3;
        left -= n - 3;
    }
    tn_scan_absorb(scan, &own);
    return last;
}

/* HDF5 may begin after a block of the user's, whose size is 512 times a power of
 * two. */
static bool is_hdf(struct tn_scan *scan, struct tn_source *source)
{
    static const uint8_t magic[8] = "\x89HDF\r\n\x1a\n";
    struct tn_error      own      = TN_ERROR_INIT;
    uint8_t              head[8];

    for (uint64_t at = 0; source->size >= 8 && at <= source->size - 8;
         at = at ? 2 * at : 512) {
        if (tn_source_read(source, at, head, 8, &own) != TN_OK)
            break;
        if (memcmp(head, magic, 8) == 0)
            return true;
    }
    tn_scan_absorb(scan, &own);
    return false;
}

/* Where configurations of Keras are. */
static bool has_keras(struct tn_bytes name)
{
    return tn_bytes_ends_with(name, ".json") ||
           tn_bytes_ends_with(name, "keras_metadata.pb") ||
           tn_bytes_ends_with(name, "saved_model.pb");
}

void tn_scan_bytes(struct tn_scan *scan, struct tn_source *source,
                   struct tn_bytes name)
{
    uint8_t         bytes[HEAD_SIZE];
    size_t          size = (size_t)tn_min(source->size, HEAD_SIZE);
    struct tn_error own  = TN_ERROR_INIT;
    struct tn_bytes head = tn_bytes(bytes, size);

    if (size == 0)
        return;
    if (tn_source_read(source, 0, bytes, size, &own) != TN_OK) {
        tn_scan_absorb(scan, &own);
        return;
    }
    if (scan->depth == 0)
        scan->most = tn_expand_most(0, source->size);
    /* A file can be valid in several formats at once: programs look for theirs
     * and do not check the others.  Only a loader of pickles takes the P of a
     * zip for an opcode, and fails. */
    bool is_begun =
        begins_with(head, 0, "PK\3\4", 4) || begins_with(head, 0, "PK\5\6", 4);
    if (!is_begun)
        tn_scan_pickles(scan, (struct tn_span){ source, 0, source->size });
    bool     has_hdf = is_hdf(scan, source);
    uint64_t zip     = is_begun ? 0 : tn_scan_find_zip(scan, source);
    bool     is_tar  = tn_scan_is_tar(head);
    /* The end of a zip in a tar belongs to a member, or the tar is also a
     * zip. */
    if (is_tar && tn_scan_tar(scan, source, is_begun ? TN_NOWHERE : zip))
        zip = TN_NOWHERE;
    if (zip != TN_NOWHERE)
        tn_scan_zip(scan, source);
    if (size >= 10 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        scan_array(scan, source);
    if (has_hdf)
        tn_scan_keras(scan, source);
    tell_closed(scan, source, head, scan->depth || is_tar);
    tell_native(scan, source, head);
    tell_java(scan, head);
    if (has_keras(name) && !has_hdf)
        tn_scan_keras(scan, source);
    tn_scan_text(scan, source, name);
}

void tn_scan_member(struct tn_scan *scan, struct tn_source *source,
                    struct tn_bytes name)
{
    size_t before = scan->member.size;

    if (before)
        tn_buffer_byte(&scan->member, '/');
    tn_buffer_add(&scan->member, name);
    if (++scan->depth > TN_SCAN_DEPTH_LIMIT)
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "closed", TN_NOWHERE,
                     "archives in archives, deeper than %d",
                     TN_SCAN_DEPTH_LIMIT);
    else
        tn_scan_bytes(scan, source, name);
    scan->depth--;
    scan->member.size = before;
    tn_source_close(source);
}
