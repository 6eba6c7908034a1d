// Backlog: the commands that a device's streams have received but not yet handed to the device, in order.
//
//   backlog.add({.stream = &consumer, .awaited = &producer, .command = wait});
//   for (auto& entry : backlog.take(streams)) run(entry.command);
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::backend {

template <typename Stream, typename Command>
class Backlog {
 public:
  struct Entry {
    Stream* stream = nullptr;
    Stream* awaited = nullptr;  // the command waits for the earlier commands of this stream; nullptr if for none
    Command command;
  };
  using Entries = std::vector<Entry>;

  void add(Entry entry) { entries_.push_back(std::move(entry)); }

  // Returns the command that was added last if it still waits to be taken; nullptr otherwise.
  Entry* last() { return entries_.empty() ? nullptr : &entries_.back(); }

  bool holds(const Stream* stream) const {
    return std::ranges::find(entries_, stream, &Entry::stream) != entries_.end();
  }

  // Takes the commands of these streams, and those commands of other streams for which they wait.
  Entries take(std::span<Stream* const> streams) {
    if (std::ranges::all_of(entries_, [&](const Entry& entry) { return contains(streams, entry.stream); }))
      return take_all();
    std::vector<Stream*> wanted(streams.begin(), streams.end());
    std::vector<bool> taken(entries_.size());
    for (std::size_t i = entries_.size(); i-- > 0;) {
      const Entry& entry = entries_[i];
      taken[i] = contains(wanted, entry.stream);
      if (taken[i] && entry.awaited != nullptr && !contains(wanted, entry.awaited)) wanted.push_back(entry.awaited);
    }
    return split(taken);
  }

  // Takes the commands of one stream, and nothing else.
  Entries take_only(const Stream* stream) {
    std::vector<bool> taken;
    for (const Entry& entry : entries_) taken.push_back(entry.stream == stream);
    return split(taken);
  }

 private:
  static bool contains(std::span<Stream* const> streams, const Stream* stream) {
    return std::ranges::find(streams, stream) != streams.end();
  }

  Entries take_all() {
    Entries all = std::exchange(entries_, {});
    entries_.reserve(all.size());  // the next batch will probably be of about the same size
    return all;
  }

  Entries split(const std::vector<bool>& taken) {
    Entries left;
    Entries right;
    for (std::size_t i = 0; i < entries_.size(); ++i) (taken[i] ? left : right).push_back(std::move(entries_[i]));
    entries_ = std::move(right);
    return left;
  }

  Entries entries_;
};

}  // namespace wattune::backend
