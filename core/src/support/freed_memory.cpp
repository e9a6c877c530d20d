#include "palmette/support/freed_memory.hpp"

#include <cstddef>  // tells which C library it is

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace palmette {

void give_back_freed_memory() noexcept {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

}  // namespace palmette
