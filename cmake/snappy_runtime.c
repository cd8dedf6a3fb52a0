/* snappy_runtime.c - what libsnappy.a calls of the C++ runtime, for the command
 *
 * The command takes its codecs as archives.  Snappy's is C++; with all of
 * libstdc++.a behind it the command would grow by its locales, streams and
 * exceptions, and would start only where glibc is as new as the machine it was
 * built on (arc4random is of 2.36).  Called are an allocator and a few names
 * that the C functions of snappy-c.h never reach.  The names are those of the
 * Itanium C++ ABI; TenonCodecs.cmake links this only if nothing is missing,
 * else the whole library. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if SIZE_MAX > UINT32_MAX /* size_t is `unsigned long`, written m */
#define _Znwj   _Znwm
#define _Znaj   _Znam
#define _ZdlPvj _ZdlPvm
#define _ZdaPvj _ZdaPvm
#define _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEjc        \
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc
#define _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcj   \
    _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm
#endif

void          *_Znwj(size_t size);   /* operator new */
void          *_Znaj(size_t size);   /* operator new[] */
void           _ZdlPv(void *memory); /* operator delete */
void           _ZdaPv(void *memory); /* operator delete[] */
void           _ZdlPvj(void *memory, size_t size);
void           _ZdaPvj(void *memory, size_t size);
int            __cxa_guard_acquire(unsigned char *guard);
void           __cxa_guard_release(unsigned char *guard);
_Noreturn void __cxa_pure_virtual(void);
_Noreturn void _ZSt17__throw_bad_allocv(void);
_Noreturn void _ZSt20__throw_length_errorPKc(const char *);
_Noreturn void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEjc(
    void);
_Noreturn void
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcj(void);

/* Out of memory: C++ would throw, nobody would catch, and the process would end
 * as well. */
void *_Znwj(size_t size)
{
    void *memory = malloc(size ? size : 1);

    if (!memory)
        abort();
    return memory;
}

void *_Znaj(size_t size)
{
    return _Znwj(size);
}

void _ZdlPv(void *memory)
{
    free(memory);
}

void _ZdaPv(void *memory)
{
    free(memory);
}

void _ZdlPvj(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

void _ZdaPvj(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

/* Statics of a function that are set when it first runs.  The first byte of a
 * guard says that they are; the second, ours, that somebody is at it. */
int __cxa_guard_acquire(unsigned char *guard)
{
    while (!__atomic_load_n(guard, __ATOMIC_ACQUIRE)) {
        if (!__atomic_exchange_n(guard + 1, 1, __ATOMIC_ACQ_REL)) {
            if (!__atomic_load_n(guard, __ATOMIC_ACQUIRE))
                return 1;
            __atomic_store_n(guard + 1, 0, __ATOMIC_RELEASE);
        }
    }
    return 0;
}

void __cxa_guard_release(unsigned char *guard)
{
    __atomic_store_n(guard, 1, __ATOMIC_RELEASE);
    __atomic_store_n(guard + 1, 0, __ATOMIC_RELEASE);
}

/* Only dynamic_cast and exceptions read these tables; there are none. */
const void *const _ZTVN10__cxxabiv117__class_type_infoE[16];
const void *const _ZTVN10__cxxabiv120__si_class_type_infoE[16];

/* Calls that only snappy's C++ functions of std::string make. */
void __cxa_pure_virtual(void)
{
    abort();
}

void _ZSt17__throw_bad_allocv(void)
{
    abort();
}

void _ZSt20__throw_length_errorPKc(const char *what)
{
    (void)what;
    abort();
}

void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEjc(void)
{
    abort();
}

void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcj(void)
{
    abort();
}
