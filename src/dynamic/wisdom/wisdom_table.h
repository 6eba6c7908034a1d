// WisdomTable: entries by kernel, device and key. If several entries have the same kernel, device and key, it keeps
// only the better() one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "wattune/dynamic/wisdom.h"

namespace wattune::inline v0_1::dynamic {

class WisdomTable {
 public:
  // Adds an entry, unless an existing one is better(). Returns true if the entry was added.
  bool put(WisdomEntry entry);
  void put_all(const std::vector<WisdomEntry>& entries);

  // The pointers that the next two functions return are valid until the next put().

  const WisdomEntry* find(const KernelVersion& kernel, const std::string& device, const Key& key) const;
  std::optional<NearestEntry> nearest(const KernelVersion& kernel, const DeviceInfo& device, const Key& key) const;
  // Appends to `all` the entries from which nearest() would choose, one for each key.
  void add_near(const KernelVersion& kernel, const DeviceInfo& device, const Key& key,
                std::vector<NearestEntry>& all) const;
  std::size_t count_of_other_versions(const KernelVersion& kernel) const;

  // Returns the entries in the order in which their keys were first put.
  const std::vector<WisdomEntry>& entries() const { return entries_; }

 private:
  struct Address {
    KernelVersion kernel;
    std::string device;
    Key key;

    friend bool operator==(const Address&, const Address&) = default;
  };
  struct AddressHash {
    std::size_t operator()(const Address& address) const;
  };

  std::vector<WisdomEntry> entries_;
  std::unordered_map<Address, std::size_t, AddressHash> position_of_;
};

// Returns the nearer of two entries for the same requested key. An entry for the device itself comes before an entry
// for another device of the same architecture. If both are alike in that, the distance decides, and then better().
std::optional<NearestEntry> nearer(std::optional<NearestEntry> a, std::optional<NearestEntry> b);

}  // namespace wattune::dynamic
