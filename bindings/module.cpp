// palmette._core: the C++ core as Python sees it. The files beside this one mirror the folders of the core.

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_support(nb::module_& module);
void bind_data(nb::module_& module);
void bind_discretization(nb::module_& module);
void bind_tree(nb::module_& module);
void bind_filter(nb::module_& module);
void bind_search(nb::module_& module);
void bind_paper(nb::module_& module);
void bind_elimination(nb::module_& module);
void bind_ensemble(nb::module_& module);
void bind_oblivious(nb::module_& module);
void bind_regularized(nb::module_& module);
void bind_evolution(nb::module_& module);

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of palmette. Use the estimators of the package instead.";
    module.attr("__version__") = PALMETTE_VERSION;
#if defined(NDEBUG)
    // A model that a thread or a cache still holds when Python ends is no fault, and its user can do nothing about it.
    nb::set_leak_warnings(false);
#endif
    bind_support(module);
    bind_data(module);
    bind_discretization(module);
    bind_tree(module);
    bind_filter(module);
    bind_search(module);
    bind_paper(module);
    bind_elimination(module);
    bind_ensemble(module);
    bind_oblivious(module);
    bind_regularized(module);
    bind_evolution(module);
}
