// Freed memory: given back to the system before something of the same size is made.
#pragma once

namespace palmette {

/// Under glibc, memory that was freed stays with the process, in an arena for each thread, and holes that others made
/// are filled before it: what was freed then counts beside what comes next. This gives it back. It takes a tenth of a
/// millisecond, and as long again for every hundred pages that are soon wanted anew: it is for those who know that what
/// was freed is large beside what they hold.
void give_back_freed_memory() noexcept;

}  // namespace palmette
