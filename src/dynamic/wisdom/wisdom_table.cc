#include "dynamic/wisdom/wisdom_table.h"

#include <algorithm>
#include <utility>

#include "core/interface/value_hash.h"

namespace wattune::inline v0_1::dynamic {

namespace {

bool is_kin(const WisdomEntry& entry, const DeviceInfo& device) {
  return !entry.architecture.empty() && entry.architecture == device.architecture;
}

std::optional<NearestEntry> answer(const WisdomEntry& entry, const KernelVersion& kernel, const DeviceInfo& device,
                                   const Key& key) {
  const bool same_device = entry.device == device.name;
  if (entry.kernel != kernel || (!same_device && !is_kin(entry, device))) return std::nullopt;
  const std::optional<double> apart = distance(entry.key, key);
  return apart ? std::optional(NearestEntry{entry, *apart, same_device}) : std::nullopt;
}

}  // namespace

std::size_t WisdomTable::AddressHash::operator()(const Address& address) const {
  std::vector<Value> values{address.kernel.name, address.kernel.version, address.device};
  for (const KeyPart& part : address.key) values.push_back(part.value);
  return ValueHash()(values);
}

bool WisdomTable::put(WisdomEntry entry) {
  const auto [known, is_new] =
      position_of_.try_emplace(Address{entry.kernel, entry.device, entry.key}, entries_.size());
  if (is_new) {
    entries_.push_back(std::move(entry));
    return true;
  }
  WisdomEntry& before = entries_[known->second];
  if (&better(before, entry) == &before) return false;
  before = std::move(entry);
  return true;
}

void WisdomTable::put_all(const std::vector<WisdomEntry>& entries) {
  for (const WisdomEntry& entry : entries) put(entry);
}

const WisdomEntry* WisdomTable::find(const KernelVersion& kernel, const std::string& device, const Key& key) const {
  const auto found = position_of_.find(Address{kernel, device, key});
  return found == position_of_.end() ? nullptr : &entries_[found->second];
}

std::optional<NearestEntry> WisdomTable::nearest(const KernelVersion& kernel, const DeviceInfo& device,
                                                 const Key& key) const {
  std::optional<NearestEntry> found;
  for (const WisdomEntry& entry : entries_) found = nearer(std::move(found), answer(entry, kernel, device, key));
  return found;
}

void WisdomTable::add_near(const KernelVersion& kernel, const DeviceInfo& device, const Key& key,
                           std::vector<NearestEntry>& all) const {
  for (const WisdomEntry& entry : entries_) {
    std::optional<NearestEntry> one = answer(entry, kernel, device, key);
    if (!one) continue;
    const auto known =
        std::ranges::find_if(all, [&](const NearestEntry& other) { return other.entry.key == entry.key; });
    if (known == all.end())
      all.push_back(*std::move(one));
    else
      *known = *nearer(*known, one);
  }
}

std::size_t WisdomTable::count_of_other_versions(const KernelVersion& kernel) const {
  return static_cast<std::size_t>(std::ranges::count_if(entries_, [&](const WisdomEntry& entry) {
    return entry.kernel.name == kernel.name && entry.kernel.version != kernel.version;
  }));
}

std::optional<NearestEntry> nearer(std::optional<NearestEntry> a, std::optional<NearestEntry> b) {
  if (!a || !b) return a ? a : b;
  if (a->same_device != b->same_device) return a->same_device ? a : b;
  if (a->distance != b->distance) return a->distance < b->distance ? a : b;
  return &better(a->entry, b->entry) == &a->entry ? a : b;
}

}  // namespace wattune::dynamic
