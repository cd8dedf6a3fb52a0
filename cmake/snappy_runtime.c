/* snappy_runtime.c - what libsnappy.a calls of the C++ runtime, for the command
 *
 * The command takes its codecs as archives.  Snappy's is C++; with all of
 * libstdc++.a behind it the command would grow by its locales, streams and
 * exceptions, and would start only where glibc is as new as the machine it was
 * built on (arc4random is of 2.36).  Called are an allocator and a few names
 * that the C functions of snappy-c.h never reach.  The names are those of the
 * Itanium C++ ABI, where size_t is `unsigned long`; TenonCodecs.cmake links
 * this only if nothing is missing, else the whole library. */
#include <stddef.h>
#include <stdlib.h>

void *_Znwm(unsigned long size);           /* operator new */
void *_Znam(unsigned long size);           /* operator new[] */
void  _ZdlPv(void *memory);                /* operator delete */
void  _ZdaPv(void *memory);                /* operator delete[] */
void  _ZdlPvm(void *memory, unsigned long size);
void  _ZdaPvm(void *memory, unsigned long size);
int   __cxa_guard_acquire(unsigned char *guard);
void  __cxa_guard_release(unsigned char *guard);
_Noreturn void __cxa_pure_virtual(void);
_Noreturn void _ZSt20__throw_length_errorPKc(const char *);
_Noreturn void
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc(void);
_Noreturn void
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm(void);

/* C++ would throw, nobody would catch, and the process would end as well. */
void *_Znwm(unsigned long size)
{
    void *memory = malloc(size ? size : 1);

    if (!memory)
        abort();
    return memory;
}

void *_Znam(unsigned long size)
{
    return _Znwm(size);
}

void _ZdlPv(void *memory)
{
    free(memory);
}

void _ZdaPv(void *memory)
{
    free(memory);
}

void _ZdlPvm(void *memory, unsigned long size)
{
    (void)size;
    free(memory);
}

void _ZdaPvm(void *memory, unsigned long size)
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

void _ZSt20__throw_length_errorPKc(const char *what)
{
    (void)what;
    abort();
}

void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc(void)
{
    abort();
}

void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm(void)
{
    abort();
}
