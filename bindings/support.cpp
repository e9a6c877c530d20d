// Budget and memory as Python sees them.

#include <nanobind/nanobind.h>

#include "palmette/support/budget.hpp"
#include "palmette/support/freed_memory.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using palmette::Budget;

void bind_support(nb::module_& module) {
    nb::class_<Budget>(module, "Budget", "What a call may spend.")
        .def(nb::init<>())
        .def("set_time_limit", &Budget::set_time_limit, "seconds"_a)
        .def("request_stop", &Budget::request_stop)
        .def("check_deadline", &Budget::check_deadline)
        .def_prop_ro("spent", &Budget::spent)
        .def_prop_ro("deadline_passed", &Budget::deadline_passed);
    module.def("give_back_freed_memory", &palmette::give_back_freed_memory,
               "Gives freed memory back to the system, in a tenth of a millisecond or more.");
}
