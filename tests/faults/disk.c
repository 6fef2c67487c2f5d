/* Library that watches the disk operations of a process and makes them fail on demand.
 *
 * Preloaded into a process (LD_PRELOAD), it records what the process does to the files of one folder, and makes these
 * calls fail as a faulty disk would.
 *
 * Environment:
 *
 *   FAULTY_FOLDER   absolute path of the watched folder
 *   FAULTY_LOG      file for the record. Without it nothing is recorded.
 *   FAULTY_SWITCH   file of one byte that chooses what fails now. Without it nothing fails.
 *
 * Codes of the switch:
 *
 *   '0'  nothing fails                 'h'  flushes hang
 *   'f'  the disk is full              'p'  writes hang
 *   'r'  the disk is read-only         'q'  all calls hang, including reading and opening
 *   'w'  writes fail
 *   's'  flushes fail
 *
 * A call that hangs returns when the byte changes.
 *
 * The log has entries of `struct entry`, each followed by `name` bytes of a path and `size` bytes of data.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FILES 4096 /* maximum number of descriptors of a process */
#define MAX_PATH 512   /* maximum length of a watched path */

struct entry {
    uint8_t kind; /* 'o' created, 'w' written, 't' truncated, 's' flushed, 'd' folder flushed, 'u' removed, 'r' renamed,
                     'l' linked to a second name */
    uint8_t unused[3];
    uint32_t name;
    uint64_t inode;
    uint64_t offset;
    uint64_t size;
};

static char path_of[MAX_FILES][MAX_PATH];
static const char *folder;
static int log_fd = -1;
static volatile const char *fails;

__attribute__((constructor)) static void begin(void) {
    folder = getenv("FAULTY_FOLDER");
    const char *log = getenv("FAULTY_LOG"), *fault = getenv("FAULTY_SWITCH");
    if (log)
        log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fault) {
        int fd = syscall(SYS_openat, AT_FDCWD, fault, O_RDONLY);
        void *at = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
        if (at != MAP_FAILED)
            fails = at;
    }
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_watched(const char *path) { return folder && path && !strncmp(path, folder, strlen(folder)); }

/* The shared memory of SQLite is not recorded, because each process that opens the file rebuilds it. */
static int is_recorded(const char *path) {
    size_t length = strlen(path);
    return is_watched(path) && !(length > 4 && !strcmp(path + length - 4, "-shm"));
}

static const char *watched(int fd) {
    return fd >= 0 && fd < MAX_FILES && path_of[fd][0] ? path_of[fd] : NULL;
}

/* Return 1 if a call of this kind must hang now. */
static int hangs(char kind) {
    char now = fails ? *fails : '0';
    return now == 'q' || (now == 'h' && kind == 's') || (now == 'p' && kind == 'w');
}

/* Return the error with which a call of this kind must fail now, or 0 if it must not fail. Wait while it must hang. */
static int fault(char kind) {
    while (hangs(kind))
        usleep(50000);
    char now = fails ? *fails : '0';
    if (now == 'r' && kind != 's' && kind != 'i')
        return EROFS;
    if (now == 'f' && (kind == 'w' || kind == 'o'))
        return ENOSPC;
    if ((now == 'w' && kind == 'w') || (now == 's' && kind == 's'))
        return EIO;
    return 0;
}

static int failed(char kind) {
    int error = fault(kind);
    if (error)
        errno = error;
    return error;
}

static void record(char kind, const char *path, uint64_t inode, uint64_t offset, const void *data, uint64_t size) {
    if (log_fd < 0)
        return;
    int saved_errno = errno;
    struct entry entry = {kind, {0}, (uint32_t)strlen(path), inode, offset, size};
    struct iovec parts[] = {{&entry, sizeof entry}, {(void *)path, entry.name}, {(void *)data, size}};
    syscall(SYS_writev, log_fd, parts, data && size ? 3 : 2);
    errno = saved_errno;
}

static uint64_t inode_of(int fd) {
    struct stat status;
    return fstat(fd, &status) ? 0 : status.st_ino;
}

static int opened(int fd, const char *path, int flags, int existed) {
    if (fd < 0 || fd >= MAX_FILES)
        return fd;
    path_of[fd][0] = 0;
    if (!is_recorded(path) || strlen(path) >= MAX_PATH)
        return fd;
    strcpy(path_of[fd], path);
    if (!existed)
        record('o', path, inode_of(fd), 0, NULL, 0);
    else if (flags & O_TRUNC)
        record('t', path, inode_of(fd), 0, NULL, 0);
    return fd;
}

static int open_watched(int at, const char *path, int flags, mode_t mode) {
    int existed = 1;
    if (is_watched(path)) {
        fault('i');
        struct stat status;
        existed = !stat(path, &status);
        if (((flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT) && (fault('u') || (!existed && fault('o')))) {
            errno = fault('o') ? fault('o') : fault('u');
            return -1;
        }
    }
    return opened(syscall(SYS_openat, at, path, flags | O_LARGEFILE, mode), path, flags, existed);
}

#define MODE(flags)                                                                                                    \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                             \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode = va_arg(more, mode_t);                                                                                   \
        va_end(more);                                                                                                  \
    }

int open(const char *path, int flags, ...) { MODE(flags) return open_watched(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_watched(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return open_watched(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return open_watched(at, path, flags, mode); }

int close(int fd) {
    if (fd >= 0 && fd < MAX_FILES)
        path_of[fd][0] = 0;
    return REAL(close)(fd);
}

static ssize_t written(int fd, const void *data, off64_t at, ssize_t size) {
    if (size > 0)
        record('w', path_of[fd], inode_of(fd), at, data, size);
    return size;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    if (watched(fd) && failed('w'))
        return -1;
    ssize_t done = REAL(pwrite64)(fd, data, size, at);
    return watched(fd) ? written(fd, data, at, done) : done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

ssize_t write(int fd, const void *data, size_t size) {
    if (!watched(fd))
        return REAL(write)(fd, data, size);
    if (failed('w'))
        return -1;
    off64_t at = fcntl(fd, F_GETFL) & O_APPEND ? lseek64(fd, 0, SEEK_END) : lseek64(fd, 0, SEEK_CUR);
    return written(fd, data, at, REAL(write)(fd, data, size));
}

ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
    if (watched(fd) && failed('i'))
        return -1;
    return REAL(pread64)(fd, data, size, at);
}

ssize_t pread(int fd, void *data, size_t size, off_t at) { return pread64(fd, data, size, at); }

ssize_t read(int fd, void *data, size_t size) {
    if (watched(fd) && failed('i'))
        return -1;
    return REAL(read)(fd, data, size);
}

static int cut(int fd, off64_t size) {
    if (watched(fd) && fault('u')) {
        errno = fault('u');
        return -1;
    }
    int done = syscall(SYS_ftruncate, fd, size);
    if (!done && watched(fd))
        record('t', path_of[fd], inode_of(fd), size, NULL, 0);
    return done;
}

int ftruncate64(int fd, off64_t size) { return cut(fd, size); }
int ftruncate(int fd, off_t size) { return cut(fd, size); }

static int flushed(int fd, int with_metadata) {
    struct stat status;
    if (watched(fd) && failed('s'))
        return -1;
    if (watched(fd) && !fstat(fd, &status))
        record(S_ISDIR(status.st_mode) ? 'd' : 's', path_of[fd], status.st_ino, 0, NULL, 0);
    /* With a log, do not wait for the real disk, because the effect of a power cut is computed from the log. */
    return log_fd >= 0 && watched(fd) ? 0 : (int)syscall(with_metadata ? SYS_fsync : SYS_fdatasync, fd);
}

int fsync(int fd) { return flushed(fd, 1); }
int fdatasync(int fd) { return flushed(fd, 0); }

int mkdir(const char *path, mode_t mode) {
    if (is_watched(path) && (failed('u') || failed('o')))
        return -1;
    return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static int removed(const char *path, int done) {
    if (!done && is_recorded(path))
        record('u', path, 0, 0, NULL, 0);
    return done;
}

int unlink(const char *path) {
    if (is_watched(path) && failed('u'))
        return -1;
    return removed(path, syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int unlinkat(int at, const char *path, int flags) {
    if (is_watched(path) && failed('u'))
        return -1;
    return removed(path, syscall(SYS_unlinkat, at, path, flags));
}

static int linked(int from_at, const char *from, int to_at, const char *to, int flags) {
    if (is_watched(to) && (failed('u') || failed('o')))
        return -1;
    int done = syscall(SYS_linkat, from_at, from, to_at, to, flags);
    if (!done && is_recorded(from))
        record('l', from, 0, 0, to, strlen(to));
    return done;
}

int link(const char *from, const char *to) { return linked(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    return linked(from_at, from, to_at, to, flags);
}

static int renamed(int from_at, const char *from, int to_at, const char *to) {
    if ((is_watched(from) || is_watched(to)) && failed('u'))
        return -1;
    int done = syscall(SYS_renameat, from_at, from, to_at, to);
    if (!done && is_recorded(from))
        record('r', from, 0, 0, to, strlen(to));
    return done;
}

int rename(const char *from, const char *to) { return renamed(AT_FDCWD, from, AT_FDCWD, to); }
int renameat(int from_at, const char *from, int to_at, const char *to) { return renamed(from_at, from, to_at, to); }
