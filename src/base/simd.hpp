// SHOAL_CLONES in front of a hot function compiles it also for newer processors; the right copy is picked when the
// program starts. Left out under sanitizers, which cannot instrument the picking.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SHOAL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SHOAL_CLONES
#endif
