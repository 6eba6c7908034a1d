#include "backend/worker/error_stream.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "wattune/core/log.h"

namespace wattune::inline v0_1::backend::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class Errors : public ::testing::Test {
 protected:
  Errors() {
    set_log_sink([this](LogLevel level, std::string_view text) { lines_.emplace_back(level, text); });
    set_log_level(LogLevel::debug);
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    stream_.emplace(Descriptor(ends[0]));
    worker_ = Descriptor(ends[1]);
  }
  ~Errors() override {
    set_log_level(LogLevel::off);
    set_log_sink({});
  }

  void say(std::string_view text) const {
    EXPECT_EQ(write(worker_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  std::vector<std::pair<LogLevel, std::string>> lines_;
  std::optional<ErrorStream> stream_;
  Descriptor worker_;
};

TEST_F(Errors, LinesOfTheWorkersLogBecomeLinesOfOurs) {
  say("of a kernel\nwattune-log debug opened cuda:0\nwattune-log warn slow\nwithout an end");
  EXPECT_EQ(stream_->take("worker 7"), "of a kernel\nwithout an end\n");
  EXPECT_THAT(lines_,
              ElementsAre(Pair(LogLevel::debug, "worker 7: opened cuda:0"), Pair(LogLevel::warn, "worker 7: slow")));
  EXPECT_EQ(stream_->take("worker 7"), "");
}

TEST_F(Errors, WhatOnlyLooksLikeALogLineIsTheKernels) {
  say("wattune-log loud hello\nwattune-log \nwattune-log debug\n");
  EXPECT_EQ(stream_->take("worker 7"), "wattune-log loud hello\nwattune-log \nwattune-log debug\n");
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(Errors, AStreamThatTheWorkerSharesWithUsGivesNothing) {
  EXPECT_EQ(ErrorStream(Descriptor()).take("worker 7"), "");
}

}  // namespace
}  // namespace wattune::backend::worker
