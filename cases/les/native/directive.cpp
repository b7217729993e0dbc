// Styles in directives: the same simulation, whose kernels a shared object has.
#include "directive.hpp"

#include "kernels.hpp"
#include "loop.hpp"
#include "styles.hpp"
#include "watari/case/directive.hpp"
#include "watari/core/error.hpp"

#include <utility>
#include <vector>

namespace watari::les {

namespace {

/// State of the callbacks of a style: the `caller` of its request.
struct call {
    parameters p;
    measure::trial trial;
    bool migrates = false;

    /// The fields in these arrays, which lie in the order of arrays().
    fields fields_in(std::byte* const* arrays) const {
        fields f;
        for (const auto& [pointer, bytes] : les::arrays(f, p)) *pointer = *arrays++;
        return f;
    }
};

call& of(void* caller) { return *static_cast<call*>(caller); }

void fill(void* caller, std::byte* const* arrays) {
    initialise(of(caller).fields_in(arrays), of(caller).p);
}

/// How the CPU reaches arrays that it has copies of: row by row.
reach copies(const fields& twins, const directive::moves& by) {
    reach result;
    for (unsigned n = 0; n < 4; ++n) result.twin[n] = twins.flow[n];
    result.twin[4] = twins.facets;
    result.bring = [by](const region& r) {
        for (std::size_t n = 0; n < r.rows; ++n)
            by.bring(r.data + n * r.stride, r.twin + n * r.stride, r.bytes);
    };
    result.send = [by](const region& r) {
        for (std::size_t n = 0; n < r.rows; ++n)
            by.send(r.data + n * r.stride, r.twin + n * r.stride, r.bytes);
    };
    result.wait = [] {};
    return result;
}

void run_all(void* caller, std::byte* const* arrays, std::byte* const* twins,
             const kernel_tables* kernels, const directive::moves* by) {
    call& one = of(caller);
    one.p.directives = kernels;
    const reach how = twins == nullptr ? reach{} : copies(one.fields_in(twins), *by);
    simulate(one.trial, one.p, one.fields_in(arrays), how, one.migrates);
}

void read(void* caller, std::byte* const* result) {
    std::byte* const flow[4] = {result[0], result[1], result[2], result[3]};
    read_result(of(caller).trial, of(caller).p, flow);
}

directive::answer run(call& one, directive::function style) {
    const parameters& p = one.p;
    fields none;
    std::vector<std::size_t> bytes;
    for (const auto& [pointer, size] : arrays(none, p)) bytes.push_back(size);
    if (bytes.size() > directive::most_arrays) throw error("les: too many arrays for directives");
    const std::size_t flow = input_count - 4;
    const directive::request request{
        .gpu = p.processor.is_gpu() ? p.processor.number : directive::on_host,
        .count = bytes.size(),
        .bytes = bytes.data(),
        .inputs = input_count,
        .result = swapped(p) ? flow + 4 : flow,
        .caller = &one,
        .initialise = fill,
        .simulate = run_all,
        .finish = read};
    directive::answer answer{};
    style(&request, &answer);
    cases::require_ran(answer, p.style, p.processor);
    return answer;
}

}  // namespace

measure::trial run_directive(const parameters& p, directive::function program) {
    using memory::kind;
    const style& row = cases::style_named(styles(), p.style);
    if (p.others != nullptr) throw unsupported("style " + p.style + " runs on one rank alone");
    if (p.is_moist() || p.has_trees() || p.advection != advection::central)
        throw unsupported("style " + p.style + " has neither mist, trees nor advection=third");
    call one{.p = p, .trial = {}, .migrates = p.processor.is_gpu() && row.migrates()};
    std::vector<kind> kinds{kind::pageable};
    if (p.processor.is_gpu())
        kinds = row.migrates() ? std::vector{row.kind} : std::vector{row.host, row.kind};
    prepare(one.trial, p, kinds);
    call first{.p = first_step_of(p), .trial = {}, .migrates = one.migrates};
    run(first, program);
    cases::record(one.trial, run(one, program));
    return std::move(one.trial);
}

measure::trial run_directive(const parameters& p) {
    const style& row = cases::style_named(styles(), p.style);
    void* const program = cases::load_directive("les", row, p.by, cases::beside());
    cases::give_stack(row, p.by, p.processor);
    return run_directive(p, reinterpret_cast<directive::function>(program));
}

}  // namespace watari::les
