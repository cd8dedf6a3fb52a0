/* folder.h - tenon without arguments: the models that are here */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

/* Lists the models in the current folder.  Returns an exit code, or -1 without
 * printing anything if there are none. */
int cli_list_folder(void);

#endif
