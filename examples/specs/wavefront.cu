// Each block of threads has a block of tile * tile scores of the diagonal; its row of blocks is `first` or one below.
extern "C" __global__ void align(int* score, const int* similarity, int length, int penalty, int diagonal, int first) {
  __shared__ int block[tile + 1][tile + 1 + padding];
  const int me = threadIdx.x;
  const int row = (first + blockIdx.x) * tile;
  const int column = diagonal * tile - row;
  const int stride = length + 1;
  block[0][me + 1] = score[row * stride + column + me + 1];
  block[me + 1][0] = score[(row + me + 1) * stride + column];
  if (me == 0) block[0][0] = score[row * stride + column];
  __syncthreads();
  for (int wave = 0; wave < 2 * tile - 1; ++wave) {
    const int x = wave - me;
    if (x >= 0 && x < tile) {
      const int match = block[me][x] + similarity[(row + me) * length + column + x];
      block[me + 1][x + 1] = max(match, max(block[me][x + 1], block[me + 1][x]) - penalty);
    }
    __syncthreads();
  }
  for (int y = 0; y < tile; ++y) score[(row + y + 1) * stride + column + me + 1] = block[y + 1][me + 1];
}
