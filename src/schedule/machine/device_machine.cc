#include "schedule/interface/device_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schedule/machine/device_machine_state.h"
#include "wattune/model/occupancy.h"
#include "wattune/schedule/work.h"

namespace wattune::inline v0_1::schedule {

namespace {

Error machine_refuses(ErrorCode code, std::string what) { return Error(code, std::move(what)).with_context("machine"); }

Result<MachineLimits> limits_of_device(backend::Device& device) {
  const DeviceInfo& info = device.info();
  const auto capability = model::compute_capability(info.architecture);
  const unsigned sms = std::max(1U, info.compute_units.value_or(1));
  const Result<unsigned> grain = device.unit_grain();
  if (!grain && grain.error().code() == ErrorCode::device_lost) return grain.error();
  return MachineLimits{.capability = capability ? std::optional(*capability) : std::nullopt,
                       .sms = sms,
                       .split_grain = grain ? *grain : sms};
}

Result<void> check_blocks(const Launch& launch, const KernelTraits& traits) {
  const bool fits = launch.first_block <= traits.blocks && launch.blocks <= traits.blocks - launch.first_block;
  if (!fits || launch.blocks == 0)
    return machine_refuses(ErrorCode::invalid_argument,
                           fmt::format("{} has {} blocks, so that {} blocks from block {} on cannot be launched",
                                       traits.name, traits.blocks, launch.blocks, launch.first_block));
  if (launch.form == Form::persistent && launch.per_sm == 0)
    return machine_refuses(ErrorCode::invalid_argument, "a persistent launch needs at least one resident block per SM")
        .about(traits.name);
  return {};
}

}  // namespace

DeviceMachine::DeviceMachine(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<DeviceMachine>> DeviceMachine::make(backend::Device& device,
                                                           const DeviceMachineOptions& options) {
  WATTUNE_ASSIGN(const MachineLimits limits, limits_of_device(device));
  auto state = std::make_unique<State>(device, limits, options);
  const Result<backend::Sensors*> sensors = options.sensors != nullptr ? options.sensors : device.sensors();
  if (sensors && options.energy_every < kForever) state->energy.emplace(**sensors, options.energy_every);
  // If a resource cannot be created, the first launch that needs it reports the error.
  static_cast<void>(state->warm_up().has_value());
  return std::unique_ptr<DeviceMachine>(new DeviceMachine(std::move(state)));
}

DeviceMachine::~DeviceMachine() {
  std::vector<backend::Stream*> busy;
  for (auto& [key, lane] : state_->lanes) {
    for (State::Flight& flight : lane.flights) state_->stop(flight);
    if (!lane.flights.empty()) busy.push_back(lane.stream.get());
  }
  // A failure cannot be reported to anybody here.
  if (!busy.empty()) static_cast<void>(state_->device.finish(busy, {.limit = state_->options.end_limit}).has_value());
}

Result<KernelId> DeviceMachine::add(std::shared_ptr<const LoadedKernel> kernel, KernelTraits traits) {
  if (traits.blocks != blocks_of(*kernel))
    return machine_refuses(ErrorCode::invalid_argument, "the traits are those of a grid with another number of blocks")
        .about(traits.name);
  traits.sliceable = traits.sliceable && why_no_slices(*kernel).empty();
  traits.persistent = traits.persistent && why_not_persistent(*kernel).empty();
  const std::lock_guard lock(state_->mutex);
  state_->kernels.push_back({std::move(kernel), std::move(traits)});
  return state_->kernels.size() - 1;
}

void DeviceMachine::set_copies(KernelId id, std::vector<std::shared_ptr<const LoadedKernel>> copies) {
  const std::lock_guard lock(state_->mutex);
  state_->kernels[id].copies = std::move(copies);
}

const MachineLimits& DeviceMachine::limits() const { return state_->limits; }

const KernelTraits* DeviceMachine::kernel(KernelId id) const {
  const State::Added* added = state_->find(id);
  return added == nullptr ? nullptr : &added->traits;
}

Nanoseconds DeviceMachine::now() const { return state_->clock.elapsed(); }

std::optional<Joules> DeviceMachine::energy() const { return state_->energy ? state_->energy->latest() : std::nullopt; }

Result<LaunchId> DeviceMachine::launch(const Launch& launch) {
  State& state = *state_;
  if (state.lost) return *state.lost;
  const State::Added* added = state.find(launch.kernel);
  if (added == nullptr) return machine_refuses(ErrorCode::not_found, "it has no kernel of this number");
  WATTUNE_TRY(check_blocks(launch, added->traits));
  WATTUNE_TRY(state.divide_memory(*added, launch));
  WATTUNE_ASSIGN(State::Lane* const lane, state.lane(launch));
  State::Flight flight{.id = state.launches + 1,
                       .launch = launch,
                       .kernel = added->used_by(launch),
                       .expected = state.watch.expected(added->traits, launch, state.limits)};
  WATTUNE_TRY(state.await_buffers(*lane, flight));
  WATTUNE_ASSIGN(const std::vector<DevicePart> parts, state.prepare(*added, flight));
  if (Result<void> sent = state.send(*lane, flight, parts); !sent) {
    state.give_back_progress(flight);
    return std::move(sent).error();
  }
  lane->flights.push_back(std::move(flight));
  return ++state.launches;
}

void DeviceMachine::stop(LaunchId launch) {
  for (auto& [key, lane] : state_->lanes)
    for (State::Flight& flight : lane.flights)
      if (flight.id == launch) state_->stop(flight);
}

std::vector<Ended> DeviceMachine::wait(Nanoseconds until) {
  for (;;) {
    std::vector<Ended> ended = state_->take_ended();
    if (!ended.empty() || state_->take_wake() || now() >= until) return ended;
    state_->pause(until - now());
  }
}

void DeviceMachine::wake() {
  const std::lock_guard lock(state_->mutex);
  state_->woken = true;
  state_->changed.notify_one();
}

}  // namespace wattune::schedule
