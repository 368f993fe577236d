! Tests all element types, scalars of all types, conjugation, C apart from D, and many inputs.
module type_tests
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_type_tests

contains

  subroutine run_type_tests()
    call all_types()
    call integers()
    call scalars_of_all_types()
    call conjugation()
    call separate_c()
    call many_inputs()
    call other_precisions()
    call mixtures()
    call options_are_used()
    call arithmetic_of_options()
    call kinds_of_text()
  end subroutine run_type_tests

  subroutine all_types()
    real(real64) :: a(4, 5), b(5, 3), d(4, 3)
    real(real32) :: a32(4, 5), b32(5, 3), d32(4, 3)
    complex(real64) :: az(4, 5), bz(5, 3), dz(4, 3)
    complex(real32) :: ac(4, 5), bc(5, 3), dc(4, 3)
    integer :: i, j
    a = reshape([((number_at(i, j, 1), i=1, 4), j=1, 5)], [4, 5])
    b = reshape([((number_at(i, j, 2), i=1, 5), j=1, 3)], [5, 3])
    a32 = real(a, real32)
    b32 = real(b, real32)
    az = cmplx(a, a + 1, real64)
    bz = cmplx(b, 2 - b, real64)
    ac = cmplx(a, a + 1, real32)
    bc = cmplx(b, 2 - b, real32)
    call contract("mn=mk*kn", a, b, d)
    call check(all(d == matmul(a, b)), 'real64')
    call contract("mn=mk*kn", a32, b32, d32)
    call check(all(d32 == matmul(a32, b32)), 'real32')
    call contract("mn=mk*kn", az, bz, dz)
    call check(all(dz == matmul(az, bz)), 'complex64')
    call contract("mn=mk*kn", ac, bc, dc)
    call check(all(dc == matmul(ac, bc)), 'complex32')
  end subroutine all_types

  subroutine integers()
    integer(int8), target :: a(4, 5)
    integer(int8) :: b(5, 3)
    integer(int32) :: d(4, 3), wide_a(4, 5), t(5, 4), sums(4)
    integer(int64) :: other(4, 5)
    integer :: i, j, stat
    a = reshape([((int(7 * i - 25 * j, int8), i=1, 4), j=1, 5)], [4, 5])
    b = reshape([((int(20 * j - 11 * i, int8), i=1, 5), j=1, 3)], [5, 3])
    wide_a = a
    call contract("mn=mk*kn", a, b, d)
    call check(all(d == matmul(wide_a, int(b, int32))), 'products of int8')
    call contract("mn+=mk*kn", a(4:1:-1, :), b, d, alpha=-1)
    call check(all(d == matmul(wide_a - wide_a(4:1:-1, :), int(b, int32))), 'sections of int8')
    call contract("mn=mk*kn", wide_a, int(b, int32), d)
    call check(all(d == matmul(wide_a, int(b, int32))), 'products of int32')
    call contract_many("m=mk", [view(a)], sums)
    call check(all(sums == sum(wide_a, 2)), 'sums of int8')
    call transpose_tensor("ba=ab", wide_a, t)
    call check(all(t == transpose(wide_a)), 'a transpose of int32')
    call contract("mn=mk*kn", a, b, d, alpha=0.5, stat=stat)
    call check(stat == tenfold_type_mismatch, 'half a product of integers')
    other = 0
    call contract("mn=mk*kn", other, b, d, stat=stat)
    call check(stat == tenfold_type_mismatch, 'int64')
  end subroutine integers

  subroutine scalars_of_all_types()
    complex(real64) :: a(1), d(1)
    a = (1, 2)
    d = 100
    call contract("a,->a", a, (1.0_real64, 0.0_real64), d, alpha=2)
    call check(d(1) == (2, 4), 'an integer alpha')
    call contract("a,->a", a, (1.0_real64, 0.0_real64), d, alpha=3_int8, beta=2_int16)
    call check(d(1) == (7, 14), 'integers of 8 and of 16 bits')
    call contract("a,->a", a, (1.0_real64, 0.0_real64), d, alpha=2_int64**40, beta=-1_int64)
    call check(d(1) == cmplx(2_int64**40 - 7, 2_int64**41 - 14, real64), 'integers of 64 bits')
    d = (2, 4)
    call contract("a,->a", a, (1.0_real64, 0.0_real64), d, alpha=0.5_real32, beta=2.0_real64)
    call check(d(1) == (4.5_real64, 9.0_real64), 'real32 and real64')
    call contract("a,->a", a, (1.0_real64, 0.0_real64), d, alpha=(0.0_real64, 1.0_real64), &
                  beta=(0.0_real32, 1.0_real32))
    call check(d(1) == (-11.0_real64, 5.5_real64), 'complex alpha and beta')
  end subroutine scalars_of_all_types

  subroutine conjugation()
    complex(real64) :: a(2, 3), b(3, 2), d(2, 2)
    integer :: i, j
    a = reshape([((cmplx(i, j, real64), i=1, 2), j=1, 3)], [2, 3])
    b = reshape([((cmplx(i - j, 2 * i, real64), i=1, 3), j=1, 2)], [3, 2])
    call contract("mn=mk*kn", a, b, d, conj_a=.true.)
    call check(all(d == matmul(conjg(a), b)), 'conj_a')
    call contract("mn=mk*kn", a, b, d, conj_b=.true.)
    call check(all(d == matmul(a, conjg(b))), 'conj_b')
    call transpose_tensor("ba=ab", a, b, conj_a=.true.)
    call check(all(b == transpose(conjg(a))), 'a conjugated transpose')
  end subroutine conjugation

  subroutine separate_c()
    real(real64) :: a(2, 3), b(3, 2), c(2, 4), d(2, 2)
    integer :: i
    a = reshape([(real(i, real64), i=1, 6)], [2, 3])
    b = reshape([(real(i, real64), i=1, 6)], [3, 2])
    c = reshape([(real(i, real64), i=1, 8)], [2, 4])
    call contract("mn=mk*kn", a, b, d, c(:, 4:1:-3), beta=10)
    call check(all(d == matmul(a, b) + 10 * c(:, 4:1:-3)), 'C apart from D')
  end subroutine separate_c

  subroutine many_inputs()
    real(real64), target :: a(4, 5), b(5, 3), x(3, 6)
    complex(real64), target :: z(4)
    complex(real64) :: sum
    real(real64) :: d(4, 6), t(5, 4), trace
    integer :: i, j
    a = reshape([((number_at(i, j, 1), i=1, 4), j=1, 5)], [4, 5])
    b = reshape([((number_at(i, j, 2), i=1, 5), j=1, 3)], [5, 3])
    x = reshape([((number_at(i, j, 3), i=1, 3), j=1, 6)], [3, 6])
    call contract_many("ij=ik*kl*lj", [view(a), view(b), view(x)], d)
    call check(all(d == matmul(matmul(a, b), x)), 'three inputs')
    call contract_many("ij=ik*kl*lj", [view(a(4:1:-1, :)), view(b), view(x)], d, alpha=2, beta=0)
    call check(all(d == 2 * matmul(matmul(a(4:1:-1, :), b), x)), 'a section among three')
    call contract_many("ji=ij", [view(a)], t)
    call check(all(t == transpose(a)), 'one input')
    call contract_many("=ii", [view(a(1:4, 1:4))], trace)
    call check(trace == a(1, 1) + a(2, 2) + a(3, 3) + a(4, 4), 'a trace')
    z = [(1, 2), (3, -1), (0, 5), (2, 2)]
    call contract_many("=a*a", [view(z, conj=.true.), view(z)], sum)
    call check(sum == dot_product(z, z), 'a conjugated view')
  end subroutine many_inputs

  subroutine other_precisions()
    real(real32) :: a(2, 3)
    real(real64) :: b(3, 2)
    a = reshape([1, 2, 3, 4, 5, 6], [2, 3])
    call transpose_tensor("ba=ab", a, b, alpha=0.5)
    call check(all(b == 0.5_real64 * transpose(a)), 'a transpose between precisions')
    b = 1
    call transpose_tensor("ba=ab", a, b, beta=-1)
    call check(all(b == transpose(a) - 1), 'a transpose with beta')
  end subroutine other_precisions

  !> Inputs and C of narrower types, and of real types beside complex ones.
  subroutine mixtures()
    real(real32) :: a(2, 3), c(2, 2)
    real(real64) :: b(3, 2), d(2, 2), product(2, 2)
    complex(real64) :: z(2, 2)
    a = reshape([1, 2, 3, 4, 5, 6], [2, 3])
    b = reshape([6, 5, 4, 3, 2, 1], [3, 2])
    c = 2
    product = matmul(a, b)
    call contract("mn=mk*kn", a, b, d, c, beta=3)
    call check(all(d == product + 6), 'A and C of real32')
    call contract("mn=mk*kn", a, b, z, c, alpha=(0.0, 1.0), beta=3)
    call check(all(z == (0, 1) * product + 6), 'real arrays, and a complex D')
  end subroutine mixtures

  !> Sums in real64 of real32 arrays, conjugated results, extents of 1.
  subroutine arithmetic_of_options()
    type(contract_options) :: options
    real(real32) :: a(3), b(3), d
    complex(real64) :: z(2), w(2), y(2, 3), factors(1, 3)
    a = [2.0_real32**24, 1.0_real32, -2.0_real32**24]
    b = 1
    options%f64_sums = .true.
    call contract("=k*k", a, b, d, options=options)
    call check(d == 1, 'f64_sums')
    options%f64_sums = .false.
    z = [(1, 2), (3, -1)]
    options%conj_output = .true.
    call contract("a,->a", z, (0.0_real64, 1.0_real64), w, options=options)
    call check(all(w == conjg((0, 1) * z)), 'conj_output')
    options%conj_output = .false.
    options%broadcast = .true.
    options%backend = tenfold_backend_native
    factors(1, :) = [2, 3, 4]
    call contract("ab=ab*ab", reshape(z, [2, 1]), factors, y, options=options)
    call check(all(y(:, 3) == 4 * z), 'broadcast')
  end subroutine arithmetic_of_options

  subroutine options_are_used()
    real(real64) :: a(8, 8), b(8, 8), d(8, 8)
    type(contract_options) :: options
    integer :: stat
    a = 1
    b = 2
    call options%context%create(threads=1, workspace_limit=2_8**20, reproducible=.false.)
    options%algorithm = tenfold_algorithm_reference
    options%threads = 1
    options%reproducible = tenfold_no
    options%workspace_limit = tenfold_no_bytes
    call contract("mn=mk*kn", a, b, d, options=options)
    call check(all(d == 16), 'options')
    call contract("mm=mk*kn", a, b, d, options=options, stat=stat)
    call check(stat /= tenfold_ok, 'a repeated label of the output')
    options%diagonal_output = .true.
    d = 7
    call contract("mm=mk*km", a, b, d, options=options)
    call check(d(1, 1) == 16 .and. d(2, 1) == 7, 'diagonal_output')
    call options%context%destroy()
  end subroutine options_are_used

  !> Expressions may have trailing blanks, as variables of type character have.
  subroutine kinds_of_text()
    character(40) :: expression
    real(real64) :: a(2), d(2)
    a = [3, 4]
    expression = "a,->a"
    call contract(expression, a, 1.0_real64, d)
    call check(all(d == a), 'an expression with trailing blanks')
    call check(len(tenfold_version()) >= 5, 'the version')
  end subroutine kinds_of_text
end module type_tests
