/*
 * static_loader.c - the static build loads no shared libraries
 *
 * glibc's own dlopen() would need, at run time, the very glibc that the program
 * was linked with.  These three take its place in `make static`, so that what
 * needs a library (URLs, ONNX Runtime) says what is missing instead.
 */
#include <dlfcn.h>
#include <stddef.h>

void *dlopen(const char *file, int mode)
{
    (void)file, (void)mode;
    return NULL;
}

void *dlsym(void *restrict handle, const char *restrict name)
{
    (void)handle, (void)name;
    return NULL;
}

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}

char *dlerror(void)
{
    return "this is the static build of tenon, which loads no shared "
           "libraries; install the dynamic one";
}
