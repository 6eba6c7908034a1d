#include "dynamic/calls/attachment.h"

#include <pthread.h>

namespace wattune::inline v0_1::dynamic {

std::atomic<int> Attachment::forks = 0;

namespace {

// Registers the handler once, for the first attachment.
bool watch_forks(void (*in_child)()) {
  static const bool watching = pthread_atfork(nullptr, nullptr, in_child) == 0;
  return watching;
}

}  // namespace

Attachment::Attachment() : forks_((watch_forks([] { ++forks; }), forks.load())) {}

Error Attachment::forked() {
  return Error(ErrorCode::unavailable,
               "this process was forked from the one that attached, whose device and compilers "
               "it does not have")
      .hint("attach in the child, before it uses the device");
}

}  // namespace wattune::dynamic
