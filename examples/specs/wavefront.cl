// Each work-group has a block of tile * tile scores of the diagonal; its row of blocks is `first` or one below.
kernel void align(global int* score, global const int* similarity, int length, int penalty, int diagonal, int first) {
  local int block[tile + 1][tile + 1 + padding];
  const int me = get_local_id(0);
  const int row = (first + (int)get_group_id(0)) * tile;
  const int column = diagonal * tile - row;
  const int stride = length + 1;
  block[0][me + 1] = score[row * stride + column + me + 1];
  block[me + 1][0] = score[(row + me + 1) * stride + column];
  if (me == 0) block[0][0] = score[row * stride + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int wave = 0; wave < 2 * tile - 1; ++wave) {
    const int x = wave - me;
    if (x >= 0 && x < tile) {
      const int match = block[me][x] + similarity[(row + me) * length + column + x];
      block[me + 1][x + 1] = max(match, max(block[me][x + 1], block[me + 1][x]) - penalty);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < tile; ++y) score[(row + y + 1) * stride + column + me + 1] = block[y + 1][me + 1];
}
