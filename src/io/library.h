/* library.h - functions of libraries that are loaded while a program runs */
#ifndef TN_IO_LIBRARY_H
#define TN_IO_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* `function` points to a pointer to the function.  ISO C cannot convert a void
 * * to a function; POSIX lets us copy its bytes. */
static inline bool tn_library_find(void *library, const char *name,
                                   void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

#endif
