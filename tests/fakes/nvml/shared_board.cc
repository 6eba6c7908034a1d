#include "fakes/nvml/shared_board.h"

#include <sys/file.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "fakes/nvml/environment.h"
#include "fakes/nvml/profile.h"

namespace wattune::fakes {

using simulate::SimulatedBoard;

namespace {

constexpr double kVirtualBeginUs = 1.7e15;  // some day of 2023

bool is_virtual() {
  const char* const time = from_environment("TIME");
  return time != nullptr && std::strcmp(time, "virtual") == 0;
}

double host_us() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(time).count();
}

std::string physics_file(unsigned device) {
  const char* const board = std::getenv("WATTUNE_FAKE_BOARD");
  return board != nullptr ? std::string(board) + ".physics-" + std::to_string(device) : "";
}

std::mutex one_at_a_time;

void pass_at_work(SimulatedBoard& board, Nanoseconds time) {
  board.set_load(kernel_activity());
  board.pass(time);
  board.idle();
}

}  // namespace

Exclusive::Exclusive(const std::string& file) : lock_(one_at_a_time) {
  if (file.empty()) return;
  descriptor_ = open((file + ".lock").c_str(), O_RDWR | O_CREAT, 0600);
  if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
}

Exclusive::~Exclusive() {
  if (descriptor_ >= 0) close(descriptor_);
}

SharedBoard::SharedBoard(unsigned device, const simulate::BoardModel& model)
    : device_(device), model_(model), file_(physics_file(device)), own_(std::make_unique<Physics>()), physics_(open()) {
  const Exclusive exclusive(file_);
  if (physics_->begun_us == 0.0) physics_->begun_us = is_virtual() ? kVirtualBeginUs : host_us();
}

SharedBoard::Physics* SharedBoard::open() const {
  void* const shared = file_.empty() ? nullptr : shared_memory(file_.c_str(), sizeof(Physics));
  return shared != nullptr ? static_cast<Physics*>(shared) : own_.get();
}

double SharedBoard::begun_us() const { return physics_->begun_us; }

// Applies the settings that NVML made since the last question, as of now.
void SharedBoard::obey(SimulatedBoard& board) {
  const FakeBoard& asked = fake_board(device_);
  const unsigned graphics = asked.graphics(0);
  if (std::exchange(physics_->graphics, graphics) != graphics)
    graphics != 0 ? board.lock_clock(Megahertz(graphics)) : board.unlock_clock();
  const unsigned memory = asked.memory(0);
  if (std::exchange(physics_->memory, memory) != memory)
    memory != 0 ? board.lock_memory(Megahertz(memory)) : board.unlock_memory();
  const unsigned limit = asked.limit(0);
  if (std::exchange(physics_->limit_mw, limit) != limit)
    board.set_limit(limit != 0 ? Watts(limit / 1e3) : model_.limits.usual);
}

void SharedBoard::catch_up(SimulatedBoard& board) {
  const double launched = fake_board(device_).launched_ms;
  const Nanoseconds work = nanoseconds_from_ms(launched - std::exchange(physics_->launched_ms, launched));
  if (!is_virtual()) return follow_host(board, work);
  if (work > Nanoseconds(0)) pass_at_work(board, work);
  board.pass(Nanoseconds(fake_boards().passed_ns) + nanoseconds_from_ms(launched) - board.now());
}

// Lets the host's time pass; launched kernels keep the board busy in it, one after the other.
void SharedBoard::follow_host(SimulatedBoard& board, Nanoseconds work) {
  const Nanoseconds now((host_us() - physics_->begun_us) * 1e3);
  const Nanoseconds end = std::max(Nanoseconds(physics_->busy_until), board.now()) + work;
  const bool had_kernels = work > Nanoseconds(0) || Nanoseconds(physics_->busy_until) > board.now();
  physics_->busy_until = end.value();
  if (had_kernels) pass_at_work(board, std::min(end, now) - board.now());
  if (had_kernels && end > now) board.set_load(kernel_activity());
  board.pass(now - board.now());
}

}  // namespace wattune::fakes
