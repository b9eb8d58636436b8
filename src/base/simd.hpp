// SHOAL_CLONES before a hot function also compiles it for newer processors; the program picks the right copy when it
// starts. It is empty under sanitizers, which cannot instrument this choice.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SHOAL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SHOAL_CLONES
#endif
