// Defines a function of the C library that it has only since GLIBC_2.36. Programs into which the C++ runtime is linked
// need it, because std::random_device in that runtime calls it, although Wattune uses neither.
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

// Returns random bits of the kernel, as arc4random(3) does. It is weak, so that a program may have its own.
extern "C" [[gnu::weak, gnu::visibility("hidden")]] std::uint32_t arc4random() {
  std::uint32_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits)
    if (errno != EINTR) std::abort();
  return bits;
}
