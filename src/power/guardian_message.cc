#include "power/guardian_message.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace wattune::inline v0_1::power {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestMessage = 1 << 14;

template <typename Quantity>
void put(Json& json, const char* name, const std::optional<Quantity>& quantity) {
  if (quantity) json[name] = quantity->value();
}

template <typename Quantity>
std::optional<Quantity> take(const Json& json, const char* name) {
  if (!json.contains(name)) return std::nullopt;
  return Quantity(json[name].get<double>());
}

// Parses a message and converts it by `read`. Every mismatch gives the same Error.
template <typename T, typename Read>
Result<T> read_message(const std::string& text, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const std::exception&) {
    return Error(ErrorCode::parse_error, "wattune-guardian is of another build than this program")
        .hint("install both from one build");
  }
}

Error error_from(const Json& json) {
  const Error error(static_cast<ErrorCode>(json.at("code").get<int>()), json.at("message").get<std::string>());
  const auto hint = json.at("hint").get<std::string>();
  return hint.empty() ? error : Error(error).hint(hint);
}

}  // namespace

std::string to_text(const GuardianRequest& request) {
  Json json{{"wish", static_cast<int>(request.task)},
            {"board", request.board},
            {"pid", request.tuner.pid},
            {"start", request.tuner.start},
            {"lease_ns", request.lease.value()}};
  put(json, "graphics_mhz", request.setting.graphics);
  put(json, "memory_mhz", request.setting.memory);
  put(json, "power_limit_w", request.setting.power_limit);
  return json.dump();
}

std::string to_text(const GuardianAnswer& answer) {
  Json json{{"notes", answer.notes}, {"over", answer.over}};
  if (answer.error)
    json["error"] = {{"code", static_cast<int>(answer.error->code())},
                     {"message", answer.error->message()},
                     {"hint", answer.error->advice()}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<GuardianRequest> request_from(const std::string& text) {
  return read_message<GuardianRequest>(text, [](const Json& json) {
    return GuardianRequest{static_cast<GuardianTask>(json.at("wish").get<int>()),
                           json.at("board").get<std::string>(),
                           {json.at("pid").get<pid_t>(), json.at("start").get<std::uint64_t>()},
                           Nanoseconds(json.at("lease_ns").get<double>()),
                           {take<Megahertz>(json, "graphics_mhz"), take<Megahertz>(json, "memory_mhz"),
                            take<Watts>(json, "power_limit_w")}};
  });
}

Result<GuardianAnswer> answer_from(const std::string& text) {
  return read_message<GuardianAnswer>(text, [](const Json& json) {
    GuardianAnswer answer{{}, json.at("notes").get<std::vector<std::string>>(), json.at("over").get<bool>()};
    if (json.contains("error")) answer.error = error_from(json["error"]);
    return answer;
  });
}

Result<void> MessageSocket::send(const std::string& text) {
  ssize_t sent = 0;
  do sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent == static_cast<ssize_t>(text.size())) return {};
  return Error(ErrorCode::io_error, "the other end is gone");
}

Result<std::string> MessageSocket::receive(Nanoseconds limit) {
  using namespace std::chrono;
  const auto end =
      steady_clock::now() + duration_cast<steady_clock::duration>(duration<double, std::nano>(limit.value()));
  for (;;) {
    const auto left = std::clamp<std::int64_t>(ceil<milliseconds>(end - steady_clock::now()).count(), 0,
                                               std::numeric_limits<int>::max());
    pollfd entry{socket_.get(), POLLIN, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(left));
    if (ready == 0) return Error(ErrorCode::timeout, "nothing came in time");
    if (ready < 0 && errno == EINTR) continue;
    std::string text(kLongestMessage, '\0');
    const ssize_t got = ready < 0 ? -1 : ::recv(socket_.get(), text.data(), text.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Error(ErrorCode::io_error, "the other end is gone");
    text.resize(static_cast<std::size_t>(got));
    return text;
  }
}

}  // namespace wattune::power
