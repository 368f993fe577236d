! Tests copies, sums, reductions and random numbers.
module dist_operation_tests
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use checks
  use dist_elements
  use tenfold
  use tenfold_dist
  implicit none
  private

  public :: test_operations

contains

  subroutine test_operations(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, y, number
    real(real64) :: expected(6, 7), found(6, 7), least, greatest
    integer(int64), allocatable :: at(:)
    character(200) :: message
    integer :: code, i, j
    call x%create(everyone, tenfold_f64, [6, 7])
    call y%create(everyone, tenfold_f64, [6, 7], grid=[1, everyone%ranks()])
    call x%fill_by(element_of_a)
    expected = reshape([((number_at(i, j, 1), i=1, 6), j=1, 7)], [6, 7])
    call dist_copy(x, y)
    call y%read([1_int64, 1_int64], found)
    call check(all(found == expected), 'a copy')
    call dist_axpy(2, x, y)
    call dist_scale(-0.5_real32, y)
    call y%read([1_int64, 1_int64], found)
    call check(all(found == -1.5_real64 * expected), 'sums and multiples')

    call dist_combine([dist_term(2, x), dist_term((0.5, 0.0), y)], y)
    call y%read([1_int64, 1_int64], found)
    call check(all(found == 1.25_real64 * expected), 'a sum of two terms, of which one is the output')
    call dist_transpose("ij=ij", x, y, alpha=-1)
    call dist_transpose("ji=ij", x, y, dist_slice([2, 1], [3, 2]), dist_slice([5, 5], [2, 3]), alpha=2, beta=3)
    call y%read([1_int64, 1_int64], found)
    call check(all(found(5:6, 5:7) == 2 * transpose(expected(2:4, 1:2)) - 3 * expected(5:6, 5:7)), &
               'a slice that is transposed')
    call check(all(found(:4, :) == -expected(:4, :)), 'nothing beside it was written')
    call dist_transpose("ji=ij", x, y, dist_slice([2], [3, 2]), stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a slice without a position')
    call dist_transpose("ij=ij", x, y, alpha='x', stat=code, errmsg=message)
    call check_text('alpha is no real, complex or integer number', message)
    call dist_combine([dist_term((0.0, 1.0), x)], y, stat=code, errmsg=message)
    call check_code(int(tenfold_type_mismatch), code, 'an imaginary factor')

    call check(dist_sum(x) == sum(expected), 'the sum')
    call check(dist_norm1(x) == sum(abs(expected)), 'the sum of magnitudes')
    call check(dist_norm_max(x) == maxval(abs(expected)), 'the largest magnitude')
    call dist_minimum(x, least, at)
    call check(least == minval(expected) .and. all(at == minloc(expected)), 'the least element')
    call dist_maximum(x, greatest, at)
    call check(greatest == maxval(expected) .and. all(at == maxloc(expected)), 'the greatest element')
    call number%create(everyone, tenfold_c64, [integer ::])
    call number%fill((2.0, -3.0))
    call check(dist_item(number) == (2, -3), 'a number')

    call dist_fill_uniform(x, 7_int64, low=2.0_real64, high=3.0_real64)
    call dist_fill_uniform(y, 7_int64, 2.0_real64, 3.0_real64)
    call dist_minimum(x, least)
    greatest = dist_norm_max(x)
    call check(least >= 2 .and. greatest <= 3, 'bounds of random numbers')
    call dist_axpy(-1, x, y)
    call check(dist_norm1(y) == 0, 'the same random numbers in another distribution')
    call dist_fill_normal(x, 7_int64, mean=100.0_real64)
    call check(abs(dist_sum(x) - 4200) < 42, 'normal numbers')

    call dist_copy(x, number, stat=code, errmsg=message)
    call check_code(int(tenfold_type_mismatch), code, 'tensors of two types')
    call check_text('x is f64, y is c64', message)
    call dist_axpy('a', x, y, stat=code)
    call check_code(int(tenfold_type_mismatch), code, 'a text as alpha')
    call dist_minimum(number, least, at, stat=code)
    call check_code(int(tenfold_type_mismatch), code, 'the least complex number')
    least = dist_norm1(x, stat=code)
    call check_code(0, code, 'a call after failures')
    call x%destroy()
    call y%destroy()
    call number%destroy()
  end subroutine test_operations
end module dist_operation_tests
