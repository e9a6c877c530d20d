// The finished tree: every fault in its arrays is found before anything follows them.

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "palmette/tree/tree.hpp"
#include "problems.hpp"

using namespace palmette;
using problems::missing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<std::uint32_t> n_categories{0, 3};

/// Node 0 tests x0 <= 1.5; node 2 tests the nominal x1, whose last two categories share the empty leaf 4.
TreeArrays sound() {
    TreeArrays a;
    a.n_classes = 2;
    a.feature = {0, -1, 1, -1, -1};
    a.threshold = {1.5, missing, missing, missing, missing};
    a.branch_start = {0, 2, 2, 5, 5, 5};
    a.branches = {1, 2, 3, 4, 4};
    a.label = {0, 0, 1, 1, 1};
    a.weight = {10, 6, 4, 4, 0};
    a.class_weights = problems::class_weights_of({6, 4, 6, 0, 0, 4, 0, 4, 0, 0}, 2);
    a.gain = {3, 0, 1, 0, 0};
    return a;
}

/// What the constructor says about the arrays after `damage`.
std::string fault_of(const std::function<void(TreeArrays&)>& damage,
                     const std::vector<std::uint32_t>& categories = n_categories) {
    TreeArrays arrays = sound();
    damage(arrays);
    try {
        const Tree tree(std::move(arrays), categories);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

void check_fault(const std::function<void(TreeArrays&)>& damage, const std::string& part) {
    const std::string message = fault_of(damage);
    CHECK(message.starts_with("not a tree: "));
    if (message.find(part) == std::string::npos) CHECK_EQ(message, part);
}

}  // namespace

TEST_CASE("sound arrays make a tree") {
    CHECK_EQ(fault_of([](TreeArrays&) {}), std::string());
    const Tree tree(sound(), n_categories);
    CHECK_EQ(tree.n_nodes(), std::size_t{5});
    CHECK(tree.is_leaf(1) && !tree.is_leaf(2));
    std::vector<std::size_t> children;
    tree.for_each_weighted_child(2, [&](std::size_t child) { children.push_back(child); });
    CHECK(children == std::vector<std::size_t>{3});
}

TEST_CASE("arrays of wrong lengths are no tree") {
    check_fault([](TreeArrays& a) { a = {}; }, "no nodes");
    check_fault([](TreeArrays& a) { a.n_classes = 0; }, "no classes");
    check_fault([](TreeArrays& a) { a.threshold.pop_back(); }, "different lengths");
    check_fault([](TreeArrays& a) { a.label.push_back(0); }, "different lengths");
    check_fault([](TreeArrays& a) { a.weight.pop_back(); }, "different lengths");
    check_fault([](TreeArrays& a) { a.gain.clear(); }, "different lengths");
    check_fault([](TreeArrays& a) { a.branch_start.pop_back(); }, "different lengths");
    check_fault([](TreeArrays& a) { a.class_weights.start.pop_back(); }, "different lengths");
    check_fault([](TreeArrays& a) { a.class_weights.start.clear(); }, "different lengths");
    check_fault([](TreeArrays& a) { a.class_weights.label.pop_back(); }, "different lengths");
    check_fault([](TreeArrays& a) { a.class_weights.weight.push_back(1); }, "different lengths");
    check_fault([](TreeArrays& a) { a.feature.push_back(-1); }, "different lengths");
}

TEST_CASE("class weights are kept for the classes that are there") {
    const ClassWeights kept = sound().class_weights;
    CHECK(kept.start == std::vector<std::int32_t>{0, 2, 3, 4, 5, 5});
    CHECK(kept.label == std::vector<Label>{0, 1, 0, 1, 1});
    CHECK(kept.weight == std::vector<double>{6, 4, 6, 4, 4});
    CHECK_EQ(kept.n_nodes(), std::size_t{5});
}

TEST_CASE("class weights that lead astray are no tree") {
    check_fault([](TreeArrays& a) { a.class_weights.start[0] = 1; }, "does not span the class weights");
    check_fault([](TreeArrays& a) { a.class_weights.start[5] = 4; }, "does not span the class weights");
    check_fault([](TreeArrays& a) { a.class_weights.start[1] = -1; }, "not ascending at node 0");
    check_fault([](TreeArrays& a) { a.class_weights.start[2] = 100; }, "not ascending at node 1");
    check_fault([](TreeArrays& a) { a.class_weights.start[3] = 2; }, "not ascending at node 2");
    check_fault([](TreeArrays& a) { a.class_weights.label[1] = 0; }, "classes are not ascending at node 0");
    check_fault([](TreeArrays& a) { a.class_weights.label[4] = 2; }, "classes are not ascending at node 3");
    check_fault([](TreeArrays& a) { a.n_classes = 1; }, "classes are not ascending at node 0");
    for (const double weight : {infinity, missing, -1.0, 0.0})
        check_fault([&](TreeArrays& a) { a.class_weights.weight[2] = weight; }, "not a number > 0 at node 1");
}

TEST_CASE("branches that lead astray are no tree") {
    check_fault([](TreeArrays& a) { a.branch_start[0] = 1; }, "does not span");
    check_fault([](TreeArrays& a) { a.branch_start[5] = 4; }, "does not span");
    check_fault([](TreeArrays& a) { a.branches.push_back(4); }, "does not span");
    check_fault([](TreeArrays& a) { a.branch_start[1] = -3; }, "not ascending");
    check_fault([](TreeArrays& a) { a.branch_start[2] = 100; }, "not ascending at node 1");
    check_fault([](TreeArrays& a) { a.branch_start[3] = std::numeric_limits<std::int64_t>::max(); }, "not ascending");
    check_fault([](TreeArrays& a) { a.branch_start[1] = 1, a.branch_start[2] = 1; }, "does not fit the feature");
    check_fault([](TreeArrays& a) { a.branch_start[4] = 4; }, "not ascending");
    check_fault([](TreeArrays& a) { a.branches[0] = 0; }, "leads to node 0 at node 0");
    check_fault([](TreeArrays& a) { a.branches[2] = 1; }, "leads to node 1 at node 2");
    check_fault([](TreeArrays& a) { a.branches[1] = 5; }, "leads to node 5");
    check_fault([](TreeArrays& a) { a.branches[1] = -1; }, "leads to node -1");
    check_fault([](TreeArrays& a) { a.branches[4] = std::numeric_limits<std::int32_t>::max(); }, "leads to node");
    check_fault([](TreeArrays& a) { a.branches[1] = 1; }, "share a child");
    check_fault([](TreeArrays& a) { a.branches[0] = 3; }, "two parents");
    check_fault([](TreeArrays& a) { a.branches = {1, 2, 3, 3, 4}; }, "share a child that is not an empty leaf");
    check_fault([](TreeArrays& a) { a.branches = {2, 3, 4, 4, 4}, a.weight[4] = 0; }, "no branch holds any weight");
    check_fault(
        [](TreeArrays& a) {
            a.feature = {0, -1, -1, -1, -1};
            a.branch_start = {0, 2, 2, 2, 2, 2};
            a.branches = {1, 2};
        },
        "node 3 has no parent");
    check_fault([](TreeArrays& a) { a.feature[1] = 0; }, "does not fit the feature at node 1");
    check_fault([](TreeArrays& a) { a.feature[2] = -1; }, "a leaf has branches at node 2");
}

TEST_CASE("features, labels and numbers that cannot be are no tree") {
    check_fault([](TreeArrays& a) { a.feature[0] = 2; }, "feature 2 does not exist");
    check_fault([](TreeArrays& a) { a.feature[2] = 0; }, "does not fit the feature");
    check_fault([](TreeArrays& a) { a.threshold[0] = missing; }, "threshold is not finite");
    check_fault([](TreeArrays& a) { a.threshold[0] = infinity; }, "threshold is not finite");
    check_fault([](TreeArrays& a) { a.label[3] = 2; }, "label 2 is out of range at node 3");
    check_fault([](TreeArrays& a) { a.label[3] = -1; }, "label -1");
    check_fault([](TreeArrays& a) { a.weight[0] = missing; }, "weight is not a number");
    check_fault([](TreeArrays& a) { a.weight[1] = -1; }, "weight is not a number");
    check_fault([](TreeArrays& a) { a.weight[1] = a.weight[2] = 1.7e308; }, "no finite sum");
    CHECK(fault_of([](TreeArrays&) {}, {0}).find("feature 1 does not exist") != std::string::npos);
    CHECK(fault_of([](TreeArrays&) {}, {0, 4}).find("does not fit the feature") != std::string::npos);
    CHECK(fault_of([](TreeArrays&) {}, {}).find("feature 0 does not exist") != std::string::npos);
}
