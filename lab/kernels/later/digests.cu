// Stands for MD5Hash of SHOC, which looks for the text that has a given digest. Written anew from RFC 1321: a text is a
// number of four bytes, and a thread keeps the least first word among the digests of its numbers.
//
// Sixty-four steps each turn four words by a number of bits, with a word of the text and a constant from a sine.
__constant__ unsigned kSines[64] = {
    0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u,
    0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u,
    0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u,
    0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au,
    0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u,
    0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u,
    0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u,
    0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u};
__constant__ int kTurns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

__device__ unsigned mixed(int round, unsigned b, unsigned c, unsigned d) {
  if (round == 0) return (b & c) | (~b & d);
  if (round == 1) return (b & d) | (c & ~d);
  return round == 2 ? b ^ c ^ d : c ^ (b | ~d);
}

// Returns the word of the text for a step: its four bytes, then a bit that ends it, and its length in bits.
__device__ unsigned word_at(int step, unsigned number) {
  const int place = (step < 16 ? step : step < 32 ? 5 * step + 1 : step < 48 ? 3 * step + 5 : 7 * step) % 16;
  return place == 0 ? number : place == 1 ? 0x80u : place == 14 ? 32u : 0u;
}

__device__ unsigned first_word(unsigned number) {
  unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
#pragma unroll
  for (int step = 0; step < 64; ++step) {
    const unsigned sum = a + mixed(step / 16, b, c, d) + kSines[step] + word_at(step, number);
    const int bits = kTurns[step / 16 * 4 + step % 4];
    a = d;
    d = c;
    c = b;
    b += sum << bits | sum >> 32 - bits;
  }
  return 0x67452301u + a;
}

extern "C" __global__ void __launch_bounds__(256) digests(unsigned* least, int count) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned best = 0xffffffffu;
  for (int i = 0; i < count; ++i) best = min(best, first_word(thread * count + i));
  least[thread] = best;
}
