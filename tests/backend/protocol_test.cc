#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "backend/worker/channel.h"
#include "backend/worker/protocol.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::backend::worker {
namespace {

RunRequest sample_request() {
  RunRequest request;
  request.streams = {{4, true, Nanoseconds(3)}, {5, false, Nanoseconds()}};
  request.limit = Nanoseconds(5);
  request.guarded_buffer = 2;
  request.sample_every = Nanoseconds(6);
  request.commands = {{0, WriteCommand{1, 16}},
                      {0, ReadCommand{2, 3}},
                      {1, CopyCommand{1, 2}},
                      {0, WaitCommand{5, 1}},
                      {1, FillCommand{1, std::byte{9}}}};
  LaunchCommand launch;
  launch.kernel = 7;
  launch.geometry = {{1, 2, 3}, {4, 5, 6}};
  launch.arguments = {BufferArgument{1}, ScalarBytes{{std::byte{1}, std::byte{2}}}, LocalBytes{64}};
  request.commands.push_back({0, launch});
  request.commands.push_back({1, SendCommand{launch, 1000}});
  return request;
}

template <typename T>
std::vector<std::byte> bytes_of(const T& value) {
  Writer writer;
  writer.put(value);
  return {writer.bytes().begin(), writer.bytes().end()};
}

// Reads a T from any bytes. True if they were a T.
template <typename T>
bool reads_as(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  T value;
  reader.get(value);
  return reader.complete();
}

TEST(Protocol, ReadsBackWhatItWrote) {
  const std::vector<std::byte> bytes = bytes_of(sample_request());
  Reader reader(bytes);
  RunRequest read;
  reader.get(read);
  ASSERT_TRUE(reader.complete());
  EXPECT_EQ(read.commands.size(), 7u);
  EXPECT_EQ(std::get<SendCommand>(read.commands.back().command).times, 1000u);
  EXPECT_EQ(bytes_of(read), bytes);
}

TEST(Protocol, CarriesErrorsWhole) {
  const Error error = Error(ErrorCode::launch_failed, "message")
                          .at({"file", 1, 2})
                          .about("text")
                          .hint("advice")
                          .native(-54, "CL_INVALID_WORK_GROUP_SIZE")
                          .with_context("inner")
                          .with_context("outer");
  Writer writer;
  put_answer<Created>(writer, error);
  const Result<Created> answer = get_answer<Created>(writer.bytes());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::launch_failed);
  EXPECT_EQ(answer.error().to_string(), error.to_string());
}

TEST(Protocol, RefusesEveryTruncation) {
  const std::vector<std::byte> bytes = bytes_of(sample_request());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(reads_as<RunRequest>(std::span(bytes).first(size))) << size;
}

TEST(Protocol, RefusesTrailingBytes) {
  std::vector<std::byte> bytes = bytes_of(sample_request());
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(reads_as<RunRequest>(bytes));
}

TEST(Protocol, SurvivesRandomBytes) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes(random.below(200));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(4) ? random.below(3) : random.bits());
    reads_as<RunRequest>(bytes);
    reads_as<BuildRequest>(bytes);
    reads_as<Envelope>(bytes);
    (void)get_answer<RunAnswer>(bytes);
    (void)get_answer<Discovery>(bytes);
    (void)get_answer<BuildAnswer>(bytes);
  }
}

TEST(Protocol, SurvivesDamagedMessages) {
  const std::vector<std::byte> good = bytes_of(sample_request());
  Random random(4);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = good;
    for (int flips = 0; flips < 3; ++flips) bytes[random.below(bytes.size())] = static_cast<std::byte>(random.bits());
    reads_as<RunRequest>(bytes);
  }
}

// Two connected channels.
struct Ends {
  Ends() {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    raw = fds[1];
    near.emplace(Descriptor(fds[0]));
    far.emplace(Descriptor(fds[1]));
  }
  int raw;  // of the far end
  std::optional<Channel> near;
  std::optional<Channel> far;
};

TEST(Channel, CarriesFramesInOrder) {
  Ends ends;
  const auto first = bytes_of(std::string("first"));
  ends.near->send(first, std::nullopt).value();
  ends.near->send({}, std::nullopt).value();
  EXPECT_EQ(ends.far->receive(std::nullopt).value(), first);
  EXPECT_TRUE(ends.far->receive(std::nullopt).value().empty());
}

TEST(Channel, EndsAWaitAtItsDeadline) {
  Ends ends;
  EXPECT_EQ(ends.near->receive(deadline_in(nanoseconds_from_ms(5))).error().code(), ErrorCode::timeout);
  const std::vector<std::byte> more_than_a_socket_holds(std::size_t{16} << 20);
  EXPECT_EQ(ends.near->send(more_than_a_socket_holds, deadline_in(nanoseconds_from_ms(5))).error().code(),
            ErrorCode::timeout);
}

TEST(Channel, ReportsAPeerThatIsGoneWithoutASignal) {
  Ends ends;
  ends.far.reset();
  EXPECT_EQ(ends.near->send(bytes_of(1), std::nullopt).error().code(), ErrorCode::io_error);
  EXPECT_EQ(ends.near->receive(std::nullopt).error().code(), ErrorCode::io_error);
}

TEST(Channel, RefusesWhatIsNoFrame) {
  Ends ends;
  const std::vector<std::byte> garbage(64, std::byte{0x20});
  ASSERT_EQ(send(ends.raw, garbage.data(), garbage.size(), 0), 64);
  EXPECT_EQ(ends.near->receive(std::nullopt).error().code(), ErrorCode::parse_error);
}

TEST(Channel, TakesAnInfiniteLimitAsNone) {
  EXPECT_FALSE(deadline_in(Nanoseconds(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(deadline_in(nanoseconds_from_seconds(60)));
}

}  // namespace
}  // namespace wattune::backend::worker
