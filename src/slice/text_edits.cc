#include "slice/text_edits.h"

#include <algorithm>

namespace wattune::inline v0_1::slice {

std::string TextEdits::apply() const {
  std::vector<const Edit*> sorted;
  for (const Edit& edit : edits_) sorted.push_back(&edit);
  std::ranges::stable_sort(sorted, {}, [](const Edit* edit) { return edit->old.data(); });
  std::string result;
  result.reserve(part_.size() + part_.size() / 4);
  const char* copied = part_.data();
  for (const Edit* edit : sorted) {
    if (edit->old.data() < copied) continue;
    result.append(copied, edit->old.data());
    result += edit->with;
    copied = edit->old.data() + edit->old.size();
  }
  result.append(copied, part_.data() + part_.size());
  return result;
}

}  // namespace wattune::slice
