// Products of .npy files by the library alone. Refusals, torn journals and the like:
// test_gemm_refused.py and test_gemm_resume.py in cases/gemm/tests.
#include "watari/gemm/product/product.hpp"

#include "file_content.hpp"
#include "gemm/product/product_files.hpp"

#include <cstring>
#include <utility>

namespace watari::gemm {
namespace {

class Product : public ::testing::Test {
protected:
    Product() {
        if (const char* folder = std::getenv("WATARI_NUMPY_FOLDER")) blas::set_numpy_folder(folder);
    }

    std::string at(const std::string& name) const { return folder_.path + "/" + name; }

    /// Saves random elements as NumPy does, with the data from byte `first` on.
    std::vector<double> save(const std::string& name, std::size_t rows, std::size_t columns,
                             precision type, std::size_t first = 128) {
        const std::vector<double> values = random_values(rows * columns, ++seed_);
        std::string header = files::npy_header(rows, columns, type);
        header.erase(first - 1, header.size() - first);  // shortens its padding
        header[8] = static_cast<char>((first - 10) & 0xff);
        header[9] = static_cast<char>((first - 10) >> 8);
        std::ofstream out(at(name), std::ios::binary);
        out << header;
        write_elements(out, type, values);
        return values;
    }

    npy_product asked(const std::string& c = "C.npy") const {
        return {.a = at("A.npy"),
                .b = at("B.npy"),
                .c = at(c),
                .fast_memory = std::size_t{1} << 21,
                .who = the_cpu,
                .tile = 128,
                .interval = 0};
    }

    const storage::directory folder_;
    unsigned seed_ = 0;
};

TEST_F(Product, IsWhatSumsInDoubleAre) {
    const std::size_t m = 300, n = 270, k = 200;
    const std::vector<double> a = save("A.npy", m, k, precision::double_precision),
                              b = save("B.npy", k, n, precision::double_precision);
    const product_counts took = multiply(asked());
    EXPECT_EQ(took.tiles, 9u);
    EXPECT_EQ(took.finished_before, 0u);
    EXPECT_FALSE(took.stopped);
    const files::npy_matrix c = files::read_npy(at("C.npy"));
    EXPECT_EQ(c.where.offset, files::npy_header_bytes);
    EXPECT_EQ(files::shape_text(c.where), "300 x 270");
    const std::string stored = content(at("C.npy"));
    ASSERT_EQ(stored.size(), files::npy_header_bytes + m * n * sizeof(double));
    for (std::size_t i = 0; i < m; i += 7)
        for (std::size_t j = 0; j < n; j += 5) {
            double sum = 0, element = 0;
            for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
            std::memcpy(&element, &stored[files::npy_header_bytes + (i * n + j) * sizeof element],
                        8);
            ASSERT_NEAR(element, sum, 1e-12) << i << " " << j;
        }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path), {}), 3);
}

TEST_F(Product, StoppedItGoesOnAndIsTheSame) {
    save("A.npy", 500, 300, precision::single_precision);
    save("B.npy", 300, 400, precision::single_precision);
    multiply(asked("whole.npy"));
    std::size_t runs = 0, before = 0;
    for (bool stopped = true; stopped; ++runs) {
        product some(asked());
        EXPECT_EQ(some.kept(), "");
        const product_counts took =
            some.run([&](std::size_t finished, double) { return finished < before + 3; });
        EXPECT_EQ(took.finished_before, before);
        stopped = took.stopped;
        if (!stopped) {
            EXPECT_EQ(some.kept(), at("C.npy") + " is finished");
            break;
        }
        const auto left = journal::read(at("C.npy.partial.journal"));
        ASSERT_TRUE(left);
        before = left->tiles.size();
        EXPECT_EQ(some.kept(),
                  std::to_string(before) +
                      " of 16 tiles are completed: the same product resumes from there");
    }
    EXPECT_GT(runs, 1u);
    EXPECT_EQ(content(at("C.npy")), content(at("whole.npy")));
    EXPECT_FALSE(std::filesystem::exists(at("C.npy.partial")));
    EXPECT_FALSE(std::filesystem::exists(at("C.npy.partial.journal")));
}

TEST_F(Product, StoppedBeforeItBeginsItIsNotMade) {
    save("A.npy", 300, 200, precision::single_precision);
    save("B.npy", 200, 270, precision::single_precision);
    npy_product wanted = asked();
    wanted.interval = 60;
    std::size_t reports = 0;
    const product_counts took =
        multiply(wanted, [&](std::size_t, double) { return ++reports == 0; });
    EXPECT_TRUE(took.stopped);
    EXPECT_EQ(reports, 1u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path), {}), 2);
}

/// Another process cuts the partial file once `finished` tiles are completed: 8 for the moment
/// between the last tile and the end, 1 for a cut whose blocks the tiles beside it fill again.
TEST_F(Product, CutAtAnyTileItDoesNotGetItsName) {
    save("A.npy", 128, 200, precision::single_precision);
    save("B.npy", 200, 1000, precision::single_precision);
    for (const std::size_t finished : {1, 4, 8}) {
        npy_product wanted = asked();
        wanted.fast_memory = std::size_t{768} << 10;
        product some(wanted);
        bool is_cut = false;
        EXPECT_THROW(some.run([&](std::size_t tiles, double) {
            if (tiles >= finished && !std::exchange(is_cut, true))
                std::filesystem::resize_file(at("C.npy.partial"), 8192);
            return true;
        }),
                     file_error);
        EXPECT_FALSE(std::filesystem::exists(at("C.npy"))) << finished;
        const product_counts again = multiply(wanted);
        EXPECT_LT(again.finished_before, 8u);
        EXPECT_GT(again.verifying, 0);
        std::filesystem::rename(at("C.npy"), at("C-" + std::to_string(finished)));
    }
    EXPECT_EQ(content(at("C-1")), content(at("C-8")));
    EXPECT_EQ(content(at("C-4")), content(at("C-8")));
}

/// Another process replaces the partial file by a link to a user's file, after its creation and
/// before the first tile is written.
TEST_F(Product, NoOtherFileThatTakesThePartialFilesNameIsWritten) {
    save("A.npy", 300, 256, precision::single_precision);
    save("B.npy", 256, 384, precision::single_precision);
    const std::string before(std::size_t{1} << 20, 'v');
    for (const char* const engine : {"posix", "uring", "mmap", "queue"})
        for (const bool symbolic : {true, false}) {
            std::ofstream(at("victim"), std::ios::binary) << before;
            npy_product wanted = asked();
            wanted.engine = engine;
            wanted.fresh = true;
            const auto swap = [&](std::size_t, double) {
                const std::string partial = at("C.npy.partial");
                std::filesystem::remove(partial);
                if (symbolic)
                    std::filesystem::create_symlink(at("victim"), partial);
                else
                    std::filesystem::create_hard_link(at("victim"), partial);
                return true;
            };
            bool first = true;
            const auto once = [&](std::size_t finished, double part) {
                return std::exchange(first, false) ? swap(finished, part) : true;
            };
            try {
                multiply(wanted, once);
                ADD_FAILURE() << engine << " made a C in a file of another name";
            } catch (const unsupported&) {  // this machine lacks the engine
            } catch (const error&) {
            }
            EXPECT_TRUE(content(at("victim")) == before)
                << engine << (symbolic ? " symlink" : " link");
            EXPECT_FALSE(std::filesystem::exists(at("C.npy"))) << engine;
            for (const char* const left : {"C.npy.partial", "C.npy.partial.journal", "C.npy"})
                std::filesystem::remove(at(left));
        }
}

TEST_F(Product, HeadersAreReadAsTheyAreWritten) {
    std::mt19937 engine(5);
    std::uniform_int_distribution<std::size_t> sides(1, 50), starts(2, 60);
    for (int round = 0; round < 40; ++round) {
        const std::size_t rows = sides(engine), columns = sides(engine);
        const precision type =
            round % 2 == 0 ? precision::single_precision : precision::double_precision;
        const std::size_t first = 64 * starts(engine);
        save("A.npy", rows, columns, type, first);
        const files::npy_matrix matrix = files::read_npy(at("A.npy"));
        EXPECT_EQ(matrix.where.rows, rows);
        EXPECT_EQ(matrix.where.columns, columns);
        EXPECT_EQ(matrix.where.offset, first);
        EXPECT_EQ(matrix.type, type);
        EXPECT_FALSE(files::has_changed(matrix));
    }
}

/// Fast memory has room for 32 tiles of 256, but not with the units that their rows share.
TEST_F(Product, TilesAreSuchAsFitWithWhatADiskWantsAroundTheirRows) {
    npy_product wanted = asked();
    wanted.tile = 0;
    wanted.fast_memory = std::size_t{1} << 23;
    for (const std::size_t first : {std::size_t{128}, files::npy_header_bytes}) {
        save("A.npy", 512, 512, precision::single_precision, first);
        save("B.npy", 512, 512, precision::single_precision, first);
        const bool shared = first == 128 && files::direct_unit_of(at("A.npy")) > first;
        EXPECT_EQ(product(wanted).how().tile, shared ? 128u : 256u);
    }
}

}  // namespace
}  // namespace watari::gemm
