/* tag_name.h - finds a tag by its name, or by what 'tenon tag ls' prints */
#ifndef CLI_TAG_NAME_H
#define CLI_TAG_NAME_H

#include <tenon/tenon.h>

enum { CLI_TAG_ROOM = 1024 };

/* Users may type the name of a tag, or what is printed for it, which has
 * escapes.  Returns `typed` if a tag of the file has that name, or if none is
 * printed that way; else the name of the tag that is printed that way, in
 * `room`.  If there is one of each, the one with that name wins, and a hint
 * mentions the other. */
const char *cli_tag_named(const char *path, const struct tn_options *options,
                          const char *typed, char room[CLI_TAG_ROOM]);

#endif
