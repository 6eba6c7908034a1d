// LastingTable: a hash table. Any thread finds entries without waiting, and entries live as long as the table.
//
// A thread that wants to add an entry first locks a mutex and then calls find() again.
//
//   if (Entry* known = table.find(hash, [&](const Entry& entry) { return entry.key == key; })) return known;
//   const std::lock_guard lock(mutex);
//   return &table.add(hash, std::make_unique<Entry>(key));
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace wattune::inline v0_1::dynamic {

template <typename Entry, std::size_t kPlaces>
class LastingTable {
 public:
  LastingTable() = default;
  LastingTable(const LastingTable&) = delete;
  LastingTable& operator=(const LastingTable&) = delete;
  ~LastingTable() {
    for (std::atomic<Node*>& place : places_)
      for (Node* node = place.load(); node != nullptr;) delete std::exchange(node, node->next);
  }

  template <typename Matches>
  Entry* find(std::size_t hash, const Matches& matches) const {
    for (Node* node = places_[hash % kPlaces].load(std::memory_order_acquire); node != nullptr; node = node->next)
      if (matches(*node->entry)) return node->entry.get();
    return nullptr;
  }

  Entry& add(std::size_t hash, std::unique_ptr<Entry> entry) {
    std::atomic<Node*>& place = places_[hash % kPlaces];
    Node* const node = new Node{std::move(entry), place.load(std::memory_order_relaxed)};
    place.store(node, std::memory_order_release);
    return *node->entry;
  }

  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const std::atomic<Node*>& place : places_)
      for (Node* node = place.load(std::memory_order_acquire); node != nullptr; node = node->next) visit(*node->entry);
  }

 private:
  struct Node {
    std::unique_ptr<Entry> entry;
    Node* next;
  };

  std::array<std::atomic<Node*>, kPlaces> places_{};
};

}  // namespace wattune::dynamic
