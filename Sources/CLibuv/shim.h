#include <uv.h>

#ifdef __linux__
// The GNU C library's, which its own module leaves out: malloc_trim.
#include <malloc.h>

// The GNU extension is hidden from modules that are not compiled with _GNU_SOURCE.
#include <sys/socket.h>
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
#endif
