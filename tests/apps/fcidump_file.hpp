// Small FCIDUMP files for tests, which can be read, changed and written in many ways.
#pragma once

#include <string>
#include <vector>

namespace tenfold::testing {

/// The programs whose files this build of tenfold-ccsd can decompress.
inline std::vector<std::string> packers() {
#if defined(TENFOLD_CCSD_XZ)
    return {"gzip", "xz"};
#else
    return {"gzip"};
#endif
}

/// All integrals of a molecule, stored in every index order; orbitals count from 0.
class fcidump_file {
public:
    /// Reads a file in the format of this class: header closed by &END on one of its first lines.
    explicit fcidump_file(const std::string &path);

    /// Rotates orbitals p and q to cos p + sin q and cos q - sin p.
    void rotate(int p, int q, double angle);
    /// Orbital p of the result is the previous orbital order[p].
    void reorder(const std::vector<int> &order);

    struct style {
        std::string header = {}; ///< empty: the usual one
        bool constant_first = false;
        bool fortran_exponents = false; ///< 1.5D-03
        bool twice = false;             ///< (ij|kl) also as (kl|ij)
        bool orbital_energies = false;  ///< lines i 0 0 0, which say nothing true
    };
    std::string text(const style &how) const;
    std::string text() const { return text(style()); }

private:
    double &g(int p, int q, int r, int s);
    double g(int p, int q, int r, int s) const;
    void transform(const std::vector<double> &u);

    int n_ = 0;
    int electrons_ = 0;
    double constant_ = 0;
    std::vector<double> one_; ///< n x n
    std::vector<double> two_; ///< n^4
};

} // namespace tenfold::testing
