// Hot loops are compiled for several instruction sets; the best one is chosen when the program starts. The results are
// the same bits: nothing is contracted and no sum is reordered. Sanitizers start before the choice can be made.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SHOAL_TARGET_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define SHOAL_TARGET_CLONES
#endif
