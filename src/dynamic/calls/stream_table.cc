#include "dynamic/calls/stream_table.h"

#include <algorithm>

#include "dynamic/calls/stream_identity.h"

namespace wattune::inline v0_1::dynamic {

// Returns the slot of a key, found by linear probing. If a slot was freed in between, a key may have a second slot for
// a while. The older slot is forgotten after some time.
StreamTable::Slot* StreamTable::slot_of(std::uint64_t key) {
  const std::size_t home = static_cast<std::size_t>(hash_of(key) >> 58);
  for (std::size_t i = 0; i < kMostStreams; ++i) {
    Slot& slot = slots_[(home + i) % kMostStreams];
    std::uint64_t known = slot.key.load();
    if (known == 0 && slot.key.compare_exchange_strong(known, key)) return &slot;
    if (known == key) return &slot;
  }
  return nullptr;
}

void StreamTable::note(const CallStream& stream, Nanoseconds expected, Nanoseconds now) {
  double nobody = kNone;
  if (loading_.load()) first_late_.compare_exchange_strong(nobody, now.value());
  Slot* const slot = slot_of(identity_of(stream));
  if (slot == nullptr) return crowded_.store(now.value());
  slot->noted.store(now.value());
  slot->busy_until.store(std::max(slot->busy_until.load(), now.value()) + expected.value());
}

bool StreamTable::others_busy(const CallStream& stream, Nanoseconds now) const {
  const std::uint64_t own = identity_of(stream);
  return std::ranges::any_of(slots_, [&](const Slot& slot) {
    const std::uint64_t key = slot.key.load();
    return key != 0 && key != own && slot.busy_until.load() > now.value();
  });
}

Nanoseconds StreamTable::queued(Nanoseconds now) const {
  double sum = 0.0;
  for (const Slot& slot : slots_)
    if (slot.key.load() != 0) sum += std::max(0.0, slot.busy_until.load() - now.value());
  return Nanoseconds(sum);
}

Nanoseconds StreamTable::last_noted() const {
  double last = crowded_.load();
  for (const Slot& slot : slots_) last = std::max(last, slot.noted.load());
  return Nanoseconds(last);
}

bool StreamTable::all_idle(Nanoseconds now) {
  const double crowded = crowded_.load();
  if (crowded != kNone && now.value() - crowded < kForgettingAge.value()) return false;
  bool idle = true;
  for (Slot& slot : slots_) {
    if (slot.key.load() == 0) continue;
    if (now.value() - slot.noted.load() >= kForgettingAge.value() && slot.busy_until.load() <= now.value())
      forget(slot);
    else
      idle = is_idle(slot, now) && idle;
  }
  return idle;
}

bool StreamTable::is_idle(Slot& slot, Nanoseconds now) {
  const std::uint64_t key = slot.key.load();
  const auto [found, is_new] = adopted_.try_emplace(key);
  if (is_new) {
    Result<std::unique_ptr<backend::Stream>> adopted = adopt_(stream_of(key));
    if (adopted) found->second = *std::move(adopted);
  }
  if (found->second == nullptr) return slot.busy_until.load() <= now.value();
  const Result<backend::StreamState> state = found->second->state();
  if (!state) {
    forget(slot);
    return true;
  }
  if (*state == backend::StreamState::idle) slot.busy_until.store(now.value());
  return *state == backend::StreamState::idle;
}

void StreamTable::forget(const CallStream& stream) {
  const std::uint64_t key = identity_of(stream);
  for (Slot& slot : slots_)
    if (slot.key.load() == key) forget(slot);
  adopted_.erase(key);
}

void StreamTable::forget(Slot& slot) {
  adopted_.erase(slot.key.load());
  slot.busy_until.store(0.0);
  slot.key.store(0);
}

std::optional<Nanoseconds> StreamTable::end_load() {
  loading_.store(false);
  const double late = first_late_.load();
  return late == kNone ? std::nullopt : std::optional(Nanoseconds(late));
}

}  // namespace wattune::dynamic
