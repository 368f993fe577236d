! Tests products of matrices.
module product_tests
  use, intrinsic :: iso_fortran_env, only: int16, real32, real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_product_tests

contains

  subroutine run_product_tests()
    call of_all_types()
    call transposed_and_sections()
    call controlled()
    call errors()
  end subroutine run_product_tests

  subroutine of_all_types()
    real(real64) :: a(4, 5), b(5, 3), c(4, 3)
    real(real32) :: a32(4, 5), b32(5, 3), c32(4, 3)
    complex(real64) :: az(4, 5), bz(5, 3), cz(4, 3)
    complex(real32) :: ac(4, 5), bc(5, 3), cc(4, 3)
    integer :: i, j
    a = reshape([((number_at(i, j, 1), i=1, 4), j=1, 5)], [4, 5])
    b = reshape([((number_at(i, j, 2), i=1, 5), j=1, 3)], [5, 3])
    a32 = real(a, real32)
    b32 = real(b, real32)
    az = cmplx(a, a + 1, real64)
    bz = cmplx(b, 2 - b, real64)
    ac = cmplx(a, a + 1, real32)
    bc = cmplx(b, 2 - b, real32)
    call gemm(a, b, c)
    call check(all(c == matmul(a, b)), 'gemm of real64')
    call gemm(a, b, c, alpha=2, beta=-1)
    call check(all(c == matmul(a, b)), 'alpha and beta')
    call gemm(a32, b32, c32)
    call check(all(c32 == matmul(a32, b32)), 'gemm of real32')
    call gemm(az, bz, cz, conj_a=.true.)
    call check(all(cz == matmul(conjg(az), bz)), 'gemm of complex(real64), conjugated')
    call gemm(ac, bc, cc, alpha=(0.0, 1.0), conj_b=.true.)
    call check(all(cc == (0, 1) * matmul(ac, conjg(bc))), 'gemm of complex(real32), conjugated')
  end subroutine of_all_types

  subroutine transposed_and_sections()
    real(real64) :: a(8, 10), b(3, 5), c(12, 6)
    integer :: i, j
    a = reshape([((number_at(i, j, 1), i=1, 8), j=1, 10)], [8, 10])
    b = reshape([((number_at(i, j, 2), i=1, 3), j=1, 5)], [3, 5])
    c = 77
    call gemm(a(8:2:-2, ::2), b, c(1:10:3, 2:6:2), transpose_b=.true.)
    call check(all(c(1:10:3, 2:6:2) == matmul(a(8:2:-2, ::2), transpose(b))), 'sections')
    call check(all(c(2::3, :) == 77) .and. all(c(:, 1::2) == 77), 'nothing between was written')
    call gemm(a(:5, :4), b, c(:4, :3), transpose_a=.true., transpose_b=.true.)
    call check(all(c(:4, :3) == matmul(transpose(a(:5, :4)), transpose(b))), 'two transposed matrices')
  end subroutine transposed_and_sections

  subroutine controlled()
    type(contract_options) :: options
    type(stop_token) :: stop
    integer, parameter :: n = 160 ! small products may ignore a stop
    real(real64), allocatable :: a(:, :), b(:, :), c(:, :)
    integer :: stat
    allocate (a(n, n), b(n, n), c(n, n))
    a = 1
    b = 2
    options%threads = 1
    options%backend = tenfold_backend_native
    call options%context%create(threads=1)
    call gemm(a, b, c, options=options)
    call check(all(c == 320), 'gemm with options')
    call stop%create()
    call stop%request()
    options%control%stop = stop
    call gemm(a, b, c, options=options, stat=stat)
    call check_code(int(tenfold_stopped), stat, 'a product that is stopped')
    call check(all(c == 320), 'before it began')
    call stop%destroy()
    call options%context%destroy()
  end subroutine controlled

  subroutine errors()
    type(contract_options) :: options
    type(error_details) :: why
    real(real64), target :: a(4, 5), b(6, 3), c(4, 3), bias(3)
    real(real32) :: narrow(5, 3)
    character(200) :: message
    integer(int16) :: whole(5, 3)
    integer :: stat
    a = 1
    b = 1
    c = 5
    narrow = 1
    whole = 1
    bias = 1
    call gemm(a, b, c, stat=stat)
    call check_code(int(tenfold_extent_mismatch), stat, 'extents of matrices')
    why = last_error()
    call check(why%label == 'k' .and. why%first%extent == 5 .and. why%second%extent == 6, 'both extents')
    call gemm(a, b(:5, 1), c, stat=stat, errmsg=message)
    call check_code(int(tenfold_order_mismatch), stat, 'a vector')
    call check_text('b has 1 dimensions; a matrix has 2', message)
    call gemm(a, narrow, c, stat=stat, errmsg=message)
    call check_code(int(tenfold_type_mismatch), stat, 'another type')
    call check_text('b is f32, c is f64; gemm takes matrices of one type', message)
    why = last_error()
    call check(why%first%name == 'b' .and. why%code == tenfold_type_mismatch, 'the argument at fault')
    call gemm(a, whole, c, stat=stat, errmsg=message)
    call check_text('b has elements of another type', message)
    call gemm(a, b(:5, :), c, alpha=(1.0, 2.0), stat=stat)
    call check_code(int(tenfold_type_mismatch), stat, 'a complex alpha')
    call gemm(a, b(:5, :), c, beta='x', stat=stat, errmsg=message)
    call check_text('beta is no real', message)
    call gemm(c, b(:3, :), c, stat=stat)
    call check_code(int(tenfold_overlap), stat, 'C is A')
    call options%epilogue%add("n", bias)
    call gemm(a, b(:5, :), c, options=options, stat=stat, errmsg=message)
    call check_code(int(tenfold_unsupported), stat, 'an epilogue')
    call check_text('gemm takes no epilogue', message)
    call check(all(c == 5), 'nothing was written')
  end subroutine errors
end module product_tests
