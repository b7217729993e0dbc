// Default values of products: the axes of case `gemm` have no numbers of their own, and are known
// where its native part was not built.
#include "module.hpp"
#include "parameters.hpp"

#include "watari/case/words.hpp"
#include "watari/gemm/defaults.hpp"
#include "watari/gemm/words.hpp"

#include <string>

static void bind_gemm(nb::module_& module) {
    using namespace watari;
    module.def(
        "gemm_default_engine",
        [](const std::string& processor) {
            return gemm::default_engine(cases::processor_named(processor));
        },
        nb::arg("processor"), "The engine by which a processor starts its own transfers.");
    module.def(
        "gemm_default_tile",
        [](std::size_t fast_memory, std::size_t element) {
            return gemm::default_tile(
                fast_memory, [element](std::size_t edge) { return edge * edge * element; });
        },
        nb::arg("fast_memory"), nb::arg("element"),
        "Elements of a tile's edge, where tiles lie in memory as they are in the store.");
    module.def("gemm_default_threads", &gemm::default_threads, nb::arg("engine"), nb::arg("cores"),
               nb::arg("on_disk"), "Threads that move tiles.");
    module.def(
        "gemm_default_depth",
        [](const std::string& engine, bool on_disk, const std::string& layout, std::size_t tile,
           std::size_t element) {
            return gemm::default_depth(engine, on_disk, looked_up(layout, gemm::layout_words), tile,
                                       element);
        },
        nb::arg("engine"), nb::arg("on_disk"), nb::arg("layout"), nb::arg("tile"),
        nb::arg("element"), "Requests that each of them has in flight.");
    module.def(
        "gemm_holds",
        [](const std::string& precision, double factor) {
            return gemm::holds(looked_up(precision, gemm::precision_words), factor);
        },
        nb::arg("precision"), nb::arg("factor"), "Whether elements hold a factor.");
    module.attr("GEMM_USUAL_SLOTS") = gemm::usual_slots;
    module.attr("GEMM_LEAST_TILE") = gemm::least_tile;
}

static const binding gemm_bindings(bind_gemm);
