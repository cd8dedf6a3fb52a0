/* tag_name.h - a tag as it is called, or as 'tenon tag ls' prints it */
#ifndef CLI_TAG_NAME_H
#define CLI_TAG_NAME_H

#include <tenon/tenon.h>

enum { CLI_TAG_ROOM = 1024 };

/* What was typed, when a tag of the file is called so or none is printed so;
 * else the tag that is printed so, with its escapes, in `room`.  Of two, one
 * called and one printed so, it is the first, and the other is hinted at. */
const char *cli_tag_named(const char *path, const struct tn_options *options,
                          const char *typed, char room[CLI_TAG_ROOM]);

#endif
