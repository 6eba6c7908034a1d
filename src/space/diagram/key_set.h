// A hash table of distinct keys of one fixed length, numbered in the order of insertion.
//
// The keys lie one after another in a single array, and the table holds their numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::space {

// Mixes a word into a hash, and spreads every input bit over the result.
inline std::uint64_t mix_bits(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

template <typename Word>
class KeySet {
 public:
  explicit KeySet(std::size_t words_per_key) : stride_(words_per_key), slots_(kInitialSlots, kEmpty) {}

  // Inserts the key if it is new. Returns its number, and whether it was new.
  std::pair<std::uint32_t, bool> insert(const Word* key) {
    if (size_ * 2 >= slots_.size()) grow();
    std::uint32_t& slot = find_slot(key);
    if (slot != kEmpty) return {slot, false};
    slot = static_cast<std::uint32_t>(size_++);
    words_.insert(words_.end(), key, key + stride_);
    return {slot, true};
  }

  const Word* operator[](std::size_t number) const { return words_.data() + number * stride_; }
  std::size_t size() const { return size_; }
  // Returns all keys in the order of their numbers. The set is unusable afterwards.
  std::vector<Word> take_words() && { return std::move(words_); }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  static constexpr std::size_t kInitialSlots = 64;

  std::uint64_t hash(const Word* key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < stride_; ++i) hash = mix_bits(hash, key[i]);
    return hash;
  }

  // Returns the slot in which the key is, or into which it belongs.
  std::uint32_t& find_slot(const Word* key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash(key) & mask;
    while (slots_[i] != kEmpty && !std::equal(key, key + stride_, (*this)[slots_[i]])) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    slots_.assign(slots_.size() * 4, kEmpty);
    for (std::size_t i = 0; i < size_; ++i) find_slot((*this)[i]) = static_cast<std::uint32_t>(i);
  }

  std::size_t stride_;
  std::size_t size_ = 0;
  std::vector<Word> words_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace wattune::space
