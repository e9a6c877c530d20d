// fetch_early: asks for memory that will be wanted soon. A trie lies all over the memory, and most of a look at it is
// waiting.
#pragma once

namespace palmette {

/// Any address will do, null too; nothing depends on whether it is heeded.
inline void fetch_early([[maybe_unused]] const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#endif
}

}  // namespace palmette
