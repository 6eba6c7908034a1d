#include "simulate/ptx/warp.h"

#include <fmt/format.h>

#include "simulate/ptx/block.h"
#include "simulate/ptx/specials.h"

namespace wattune::inline v0_1::simulate::ptx {

Warp::Warp(Block& block, unsigned index, LaneMask lanes)
    : block_(block), launch_(block.launch()), index_(index), live_(lanes) {
  const Function& entry = launch_.entry;
  fragments_.push_back({.lanes = lanes});
  frames_.push_back({.function = &entry, .lanes = lanes});
  fill_specials();
  reserve(frames_.front(), lanes);
  enter(0);
}

void Warp::fill_specials() {
  const std::vector<std::uint32_t>& specials = launch_.code.specials;
  specials_.resize(specials.size() * kLanes);
  for (std::size_t i = 0; i < specials.size(); ++i)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      specials_[i * kLanes + lane] = special_value(specials[i], block_, index_, lane);
}

void Warp::set_predicate(const Operand& operand, LaneMask lanes, LaneMask values) {
  LaneMask& mask = *column<LaneMask>(operand);
  mask = (mask & ~lanes) | (values & lanes);
}

namespace {

template <class T>
std::uint64_t read_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

std::uint64_t Warp::word(const Operand& operand, unsigned lane) {
  const std::byte* const from = at(operand) + std::size_t{lane} * operand.bytes;
  switch (operand.bytes) {
    case 4: return read_as<std::uint32_t>(from);
    case 8: return read_as<std::uint64_t>(from);
    case 2: return read_as<std::uint16_t>(from);
    default: return read_as<std::uint8_t>(from);
  }
}

void Warp::set_word(const Operand& operand, unsigned lane, std::uint64_t value) {
  std::byte* const to = at(operand) + std::size_t{lane} * operand.bytes;
  switch (operand.bytes) {
    case 4: std::memcpy(to, &value, 4); return;
    case 8: std::memcpy(to, &value, 8); return;
    default: std::memcpy(to, &value, operand.bytes);
  }
}

std::uint32_t Warp::local_base() const { return frames_[fragments_[current_].frame].local_base; }

const Function& Warp::function() const { return *frames_[fragments_[current_].frame].function; }

std::uint64_t Warp::address(const Operation& operation, unsigned operand, unsigned lane) {
  const std::uint64_t base = word(operation.operands[operand], lane) + static_cast<std::uint64_t>(operation.immediate);
  return operation.in_frame ? base + local_base() : base;
}

std::byte* Warp::memory(const Operation& operation, unsigned lane, std::size_t bytes) {
  // the address is the operand after the elements
  return memory(operation.space, lane, address(operation, operation.count, lane), bytes, bytes);
}

namespace {

std::byte* part_of(std::span<std::byte> whole, std::uint64_t offset, std::size_t bytes) {
  if (offset > whole.size() || bytes > whole.size() - offset) return nullptr;
  return whole.data() + offset;
}

Space space_of(std::uint64_t address) {
  if (address - kSharedWindow < kWindowBytes) return Space::shared;
  if (address - kLocalWindow < kWindowBytes) return Space::local;
  if (address - kParameterWindow < kWindowBytes) return Space::parameter;
  return Space::global;
}

std::byte* global_memory(Launch& launch, std::uint64_t address, std::size_t bytes) {
  VirtualMemory::Extent& last = launch.last_used;
  if (std::byte* found = part_of(last.bytes, address - last.address, bytes)) return found;
  last = launch.memory.extent(address);
  return part_of(last.bytes, address - last.address, bytes);
}

std::string outside(Space space, Launch& launch, std::uint64_t address, std::size_t bytes) {
  const std::string access = fmt::format("an access to {} bytes at {:#x}", bytes, address);
  switch (space) {
    case Space::shared:
      return fmt::format("{} of shared memory, of which the block has {}", access, launch.shared_bytes);
    case Space::local: return fmt::format("{} of local memory, outside what its functions declare", access);
    case Space::parameter:
      return fmt::format("{} of the parameters, of which the kernel has {}", access, launch.parameters.size());
    default: return fmt::format("{}, {}", access, launch.memory.describe(address));
  }
}

}  // namespace

std::byte* Warp::memory(Space space, unsigned lane, std::uint64_t address, std::size_t bytes, std::size_t alignment) {
  if (address % alignment != 0) {
    fault(lane, ErrorCode::launch_failed, fmt::format("a misaligned access to {} bytes at {:#x}", alignment, address));
    return nullptr;
  }
  if (space == Space::generic) {
    space = space_of(address);
    if (space != Space::global) address %= kWindowBytes;
  }
  std::byte* found = nullptr;
  if (space == Space::global)
    found = global_memory(launch_, address, bytes);
  else if (space == Space::shared)
    found = part_of(block_.shared(), address % kSharedWindow, bytes);
  else if (space == Space::local)
    found = local_memory(lane, address % kLocalWindow, bytes);
  else
    found = part_of(launch_.parameters, address % kParameterWindow, bytes);
  if (found == nullptr) fault(lane, ErrorCode::launch_failed, outside(space, launch_, address, bytes));
  return found;
}

std::byte* Warp::local_memory(unsigned lane, std::uint64_t address, std::size_t bytes) {
  return part_of(local_[lane], address, bytes);
}

void Warp::fault(unsigned lane, ErrorCode code, std::string message) {
  report(lane, operation_at(fragments_[current_]), code, std::move(message));
}

void Warp::blame(ErrorCode code, std::string message) {
  current_ = 0;
  const Fragment& fragment = fragments_.front();
  const bool waits = fragment.waiting != Waiting::no;
  report(first_lane(fragment.lanes), waits ? operation_at(fragment) : function().code[fragment.place], code,
         std::move(message));
}

// Records an error. If there are several errors, the first one is kept.
void Warp::report(unsigned lane, const Operation& operation, ErrorCode code, std::string message) {
  interrupted_ = true;
  if (launch_.fault) return;
  const Index3& block = block_.index();
  const Index3 thread = index_at(std::uint64_t{index_} * kLanes + lane, launch_.block);
  Error error(code, std::move(message));
  const std::vector<slice::PtxInstruction>& instructions = function().source->instructions;
  if (operation.source < instructions.size()) {
    const std::string_view text = instructions[operation.source].text;
    error = std::move(error).at(launch_.code.tree.position(text)).about(std::string(text));
  }
  launch_.fault =
      std::move(error).with_context(fmt::format("kernel `{}`, block ({}, {}, {}), thread ({}, {}, {})", launch_.kernel,
                                                block[0], block[1], block[2], thread[0], thread[1], thread[2]));
}

}  // namespace wattune::simulate::ptx
