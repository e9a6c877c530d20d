// Runs every registered test case, or those whose name holds the first argument; check.hpp is its only neighbour.
#include "check.hpp"

int main(int count, char** arguments) {
    using namespace palmette::check;
    const std::string wanted = count > 1 ? arguments[1] : "";
    int passed = 0;
    int failed = 0;
    for (const Case& test : cases()) {
        if (test.name.find(wanted) == std::string::npos) continue;
        const int before = failures();
        try {
            test.body();
        } catch (const Abandoned&) {
        } catch (const std::exception& error) {
            fail(test.name.c_str(), 0, std::string("unexpected exception: ") + error.what());
        }
        if (failures() == before) {
            ++passed;
        } else {
            ++failed;
            std::cerr << "FAILED: " << test.name << '\n';
        }
    }
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed == 0 && passed > 0 ? 0 : 1;
}
