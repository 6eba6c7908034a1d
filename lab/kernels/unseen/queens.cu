// Stands for nqueen of HeCBench, which counts the ways to place n queens so that none attacks another. Written anew
// from that method: masks of bits tell the free squares of a row, and each thread searches from its own first rows on.
//
// The digits of a thread's number, to the base n, are the columns of its first `depth` queens. That of the first row
// lies among the first `firsts`. Most threads end at once, since their queens attack each other.
constexpr int kMost = 20;  // rows

extern "C" __global__ void __launch_bounds__(128) queens(int* solutions, int n, int depth, int firsts, int prefixes) {
  const int prefix = blockIdx.x * blockDim.x + threadIdx.x;
  if (prefix >= prefixes) return;
  const unsigned board = (1u << n) - 1;
  unsigned columns = 0, left = 0, right = 0;
  int rest = prefix;
  for (int row = 0; row < depth; ++row) {
    const int choices = row == 0 ? firsts : n;
    const unsigned queen = 1u << rest % choices;
    rest /= choices;
    if (queen & (columns | left | right)) {
      solutions[prefix] = 0;
      return;
    }
    columns |= queen;
    left = (left | queen) << 1 & board;
    right = (right | queen) >> 1;
  }
  unsigned kept_columns[kMost], kept_left[kMost], kept_right[kMost], free[kMost];
  int found = 0, row = depth;
  free[row] = board & ~(columns | left | right);
  while (true) {
    if (free[row] == 0) {
      if (--row < depth) break;
      columns = kept_columns[row];
      left = kept_left[row];
      right = kept_right[row];
      continue;
    }
    const unsigned queen = free[row] & -free[row];
    free[row] ^= queen;
    if (row == n - 1) {
      ++found;
      continue;
    }
    kept_columns[row] = columns;
    kept_left[row] = left;
    kept_right[row] = right;
    columns |= queen;
    left = (left | queen) << 1 & board;
    right = (right | queen) >> 1;
    free[++row] = board & ~(columns | left | right);
  }
  solutions[prefix] = found;
}
