// SPDX-License-Identifier: BSD-3-Clause
// Loaded before a program by LD_PRELOAD, lets one of its calls fail as the system would: for lack of memory, of disk, of threads.
//
//     OCTILE_FAIL          which: malloc, write, fsync, rename, link, unlink, open or pthread_create, each with its relatives
//     OCTILE_FAIL_AT       the number of the call that fails, from 1; none without it
//     OCTILE_FAIL_FROM     if set, only calls count that a library makes itself whose file has this in its name, such as libz.so
//     OCTILE_FAIL_LASTS    if set, all calls after it fail too
//     OCTILE_FAIL_ALWAYS   another kind, all of whose calls fail, as on a system that knows no hard links
//     OCTILE_FAIL_COUNTS   a file that is told at the end how many calls there were
//
// Calls are counted from `main` on, since what loads the program is not the program's. Those that write to the standard streams
// are not counted. A debugger finds the call by a breakpoint at octile_call_fails.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// glibc's own, which take no detour.
extern "C" void* own_malloc(size_t) __asm__("__libc_malloc");
extern "C" void* own_calloc(size_t, size_t) __asm__("__libc_calloc");
extern "C" void* own_realloc(void*, size_t) __asm__("__libc_realloc");
extern "C" void* own_memalign(size_t, size_t) __asm__("__libc_memalign");

/// Only to be stopped at.
extern "C" __attribute__((noinline)) void octile_call_fails() { asm volatile(""); }

namespace {

std::atomic<bool> counting = false;
std::atomic<long> calls = 0;
const char* failing = "";
const char* counts_file = nullptr;
long fails_at = 0;
bool lasts = false;
const char* always = "";
const char* calling = nullptr;

bool is_from(const void* caller) {
  Dl_info found = {};
  return calling == nullptr || (dladdr(caller, &found) != 0 && found.dli_fname != nullptr &&
                                std::strstr(found.dli_fname, calling) != nullptr);
}

/// Counts a call of this kind. True if it fails; then `errno` is what the system would say.
bool fails(const char* kind, int code, const void* caller) {
  if (!counting) return false;
  if (std::strcmp(kind, always) == 0) {
    errno = code;
    return true;
  }
  if (std::strcmp(kind, failing) != 0 || !is_from(caller)) return false;
  const long number = ++calls;
  if (fails_at <= 0 || (lasts ? number < fails_at : number != fails_at)) return false;
  octile_call_fails();
  errno = code;
  return true;
}

bool is_stream(int file) { return file >= 0 && file <= STDERR_FILENO; }

/// The function of this name behind this library, which is looked for once.
void* next(std::atomic<void*>& known, const char* name) {
  void* function = known;
  if (function == nullptr) {
    function = dlsym(RTLD_NEXT, name);
    known = function;
  }
  return function;
}

}  // namespace

#define OCTILE_FAILS(kind, code) fails(kind, code, __builtin_return_address(0))

// The function of this name behind this library.
#define OCTILE_NEXT(name)                                           \
  [] {                                                              \
    static std::atomic<void*> known = nullptr;                      \
    return reinterpret_cast<decltype(&(name))>(next(known, #name)); \
  }()

extern "C" {

// Functions have names of our own here, and in the library those of the functions that they stand for.
void* failing_malloc(size_t) __asm__("malloc");
void* failing_calloc(size_t, size_t) __asm__("calloc");
void* failing_realloc(void*, size_t) __asm__("realloc");
void* failing_memalign(size_t, size_t) __asm__("memalign");
void* failing_aligned_alloc(size_t, size_t) __asm__("aligned_alloc");
int failing_posix_memalign(void**, size_t, size_t) __asm__("posix_memalign");
ssize_t failing_write(int, const void*, size_t) __asm__("write");
ssize_t failing_pwrite(int, const void*, size_t, off_t) __asm__("pwrite");
ssize_t failing_pwrite64(int, const void*, size_t, off64_t) __asm__("pwrite64");
ssize_t failing_writev(int, const struct iovec*, int) __asm__("writev");
int failing_fsync(int) __asm__("fsync");
int failing_fdatasync(int) __asm__("fdatasync");
int failing_rename(const char*, const char*) __asm__("rename");
int failing_renameat(int, const char*, int, const char*) __asm__("renameat");
int failing_link(const char*, const char*) __asm__("link");
int failing_linkat(int, const char*, int, const char*, int) __asm__("linkat");
int failing_unlink(const char*) __asm__("unlink");
int failing_unlinkat(int, const char*, int) __asm__("unlinkat");
int failing_open(const char*, int, ...) __asm__("open");
int failing_open64(const char*, int, ...) __asm__("open64");
int failing_openat(int, const char*, int, ...) __asm__("openat");
int failing_openat64(int, const char*, int, ...) __asm__("openat64");
FILE* failing_fopen(const char*, const char*) __asm__("fopen");
FILE* failing_fopen64(const char*, const char*) __asm__("fopen64");
int failing_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) __asm__("pthread_create");
int start_counting(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(),
                   void*) __asm__("__libc_start_main");

void* failing_malloc(size_t size) { return OCTILE_FAILS("malloc", ENOMEM) ? nullptr : own_malloc(size); }
void* failing_calloc(size_t count, size_t size) {
  return OCTILE_FAILS("malloc", ENOMEM) ? nullptr : own_calloc(count, size);
}
void* failing_realloc(void* old, size_t size) {
  return OCTILE_FAILS("malloc", ENOMEM) ? nullptr : own_realloc(old, size);
}
void* failing_memalign(size_t alignment, size_t size) {
  return OCTILE_FAILS("malloc", ENOMEM) ? nullptr : own_memalign(alignment, size);
}
void* failing_aligned_alloc(size_t alignment, size_t size) {
  return OCTILE_FAILS("malloc", ENOMEM) ? nullptr : own_memalign(alignment, size);
}
int failing_posix_memalign(void** to, size_t alignment, size_t size) {
  if (OCTILE_FAILS("malloc", ENOMEM)) return ENOMEM;
  void* const found = own_memalign(alignment, size);
  if (found == nullptr) return ENOMEM;
  *to = found;
  return 0;
}

ssize_t failing_write(int file, const void* data, size_t size) {
  if (!is_stream(file) && OCTILE_FAILS("write", ENOSPC)) return -1;
  return OCTILE_NEXT(write)(file, data, size);
}
ssize_t failing_pwrite(int file, const void* data, size_t size, off_t place) {
  return OCTILE_FAILS("write", ENOSPC) ? -1 : OCTILE_NEXT(pwrite)(file, data, size, place);
}
ssize_t failing_pwrite64(int file, const void* data, size_t size, off64_t place) {
  return OCTILE_FAILS("write", ENOSPC) ? -1 : OCTILE_NEXT(pwrite64)(file, data, size, place);
}
ssize_t failing_writev(int file, const struct iovec* parts, int count) {
  if (!is_stream(file) && OCTILE_FAILS("write", ENOSPC)) return -1;
  return OCTILE_NEXT(writev)(file, parts, count);
}

int failing_fsync(int file) { return OCTILE_FAILS("fsync", EIO) ? -1 : OCTILE_NEXT(fsync)(file); }
int failing_fdatasync(int file) { return OCTILE_FAILS("fsync", EIO) ? -1 : OCTILE_NEXT(fdatasync)(file); }

int failing_rename(const char* from, const char* to) {
  return OCTILE_FAILS("rename", EIO) ? -1 : OCTILE_NEXT(rename)(from, to);
}
int failing_renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return OCTILE_FAILS("rename", EIO) ? -1 : OCTILE_NEXT(renameat)(from_folder, from, to_folder, to);
}

int failing_link(const char* from, const char* to) {
  return OCTILE_FAILS("link", EPERM) ? -1 : OCTILE_NEXT(link)(from, to);
}
int failing_linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return OCTILE_FAILS("link", EPERM) ? -1 : OCTILE_NEXT(linkat)(from_folder, from, to_folder, to, flags);
}

int failing_unlink(const char* name) { return OCTILE_FAILS("unlink", EIO) ? -1 : OCTILE_NEXT(unlink)(name); }
int failing_unlinkat(int folder, const char* name, int flags) {
  return OCTILE_FAILS("unlink", EIO) ? -1 : OCTILE_NEXT(unlinkat)(folder, name, flags);
}

// What creates no file passes no mode, and then that which is read here is passed over.
#define OCTILE_MODE(last)                   \
  va_list more;                             \
  va_start(more, last);                     \
  const mode_t mode = va_arg(more, mode_t); \
  va_end(more)

int failing_open(const char* name, int flags, ...) {
  OCTILE_MODE(flags);
  return OCTILE_FAILS("open", EMFILE) ? -1 : OCTILE_NEXT(open)(name, flags, mode);
}
int failing_open64(const char* name, int flags, ...) {
  OCTILE_MODE(flags);
  return OCTILE_FAILS("open", EMFILE) ? -1 : OCTILE_NEXT(open64)(name, flags, mode);
}
int failing_openat(int folder, const char* name, int flags, ...) {
  OCTILE_MODE(flags);
  return OCTILE_FAILS("open", EMFILE) ? -1 : OCTILE_NEXT(openat)(folder, name, flags, mode);
}
int failing_openat64(int folder, const char* name, int flags, ...) {
  OCTILE_MODE(flags);
  return OCTILE_FAILS("open", EMFILE) ? -1 : OCTILE_NEXT(openat64)(folder, name, flags, mode);
}
FILE* failing_fopen(const char* name, const char* mode) {
  return OCTILE_FAILS("open", EMFILE) ? nullptr : OCTILE_NEXT(fopen)(name, mode);
}
FILE* failing_fopen64(const char* name, const char* mode) {
  return OCTILE_FAILS("open", EMFILE) ? nullptr : OCTILE_NEXT(fopen64)(name, mode);
}

int failing_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  return OCTILE_FAILS("pthread_create", EAGAIN) ? EAGAIN
                                                : OCTILE_NEXT(pthread_create)(thread, attributes, work, argument);
}

using Main = int(int, char**, char**);

static Main* main_of_program = nullptr;

static int counted_main(int count, char** arguments, char** environment) {
  counting = true;
  return main_of_program(count, arguments, environment);
}

int start_counting(Main* program, int count, char** arguments, void (*begin)(), void (*end)(), void (*unload)(),
                   void* stack) {
  const auto text = [](const char* name) { return std::getenv(name); };
  if (text("OCTILE_FAIL") != nullptr) failing = text("OCTILE_FAIL");
  if (text("OCTILE_FAIL_AT") != nullptr) fails_at = std::atol(text("OCTILE_FAIL_AT"));
  if (text("OCTILE_FAIL_ALWAYS") != nullptr) always = text("OCTILE_FAIL_ALWAYS");
  calling = text("OCTILE_FAIL_FROM");
  lasts = text("OCTILE_FAIL_LASTS") != nullptr;
  counts_file = text("OCTILE_FAIL_COUNTS");
  main_of_program = program;
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto* const start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, count, arguments, begin, end, unload, stack);
}
}  // extern "C"

namespace {

__attribute__((destructor)) void tell_counts() {
  counting = false;
  if (counts_file == nullptr) return;
  char line[32] = {};
  const int length = std::snprintf(line, sizeof line, "%ld\n", calls.load());
  const long file = ::syscall(SYS_openat, AT_FDCWD, counts_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::syscall(SYS_write, file, line, length);
  ::syscall(SYS_close, file);
}

}  // namespace
