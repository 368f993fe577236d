! Tests copies, sums, reductions, functions of elements and random numbers.
module dist_operation_tests
  use, intrinsic :: ieee_arithmetic, only: ieee_negative_inf, ieee_value
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
  use checks
  use dist_elements
  use tenfold
  use tenfold_dist
  implicit none
  private

  public :: test_operations, test_maps, test_largest

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

  !> From tensors of all kinds that differ in how they lie.
  subroutine test_maps(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, z, single, half, other, bytes, square, nothing
    complex(real64) :: found(6, 7), expected(6, 7), positions(6, 7)
    real(real64) :: reals(6, 7)
    real(real32), pointer, contiguous :: block(:)
    integer(int8) :: small(6, 7)
    character(200) :: message
    integer :: code, i, j
    call x%create(everyone, tenfold_f64, [6, 7])
    call z%create(everyone, tenfold_c64, [6, 7], grid=[1, everyone%ranks()])
    call single%create(everyone, tenfold_f32, [6, 7], copies=everyone%ranks())
    call half%create(everyone, tenfold_bf16, [6, 7])
    call other%create(everyone, tenfold_f16, [6, 7], grid=[everyone%ranks(), 1])
    call bytes%create(everyone, tenfold_i8, [6, 7])
    call x%fill_by(element_of_a)
    call z%fill_by(complex_element)
    call single%fill_by(element_of_a)
    call bytes%fill_by(element_of_a)
    call dist_contract_many("ik=ik", [dist_input(single)], half) ! conversions
    call dist_contract_many("ik=ik", [dist_input(single)], other)
    positions = reshape([((cmplx(i + 10 * j, kind=real64), i=1, 6), j=1, 7)], [6, 7])
    expected = reshape([(((1 + 2 + 4 + 5 + 6) * number_at(i, j, 1) + 3 * cmplx(i, -j, real64), i=1, 6), j=1, 7)], &
                       [6, 7])
    call dist_map(z, [x, single, z, half, other, bytes], weighted)
    call z%read([1_int64, 1_int64], found)
    call check(all(found == positions + expected), 'a map of six tensors, one of which is the output')
    call dist_map(x, [z], weighted)
    call x%read([1_int64, 1_int64], reals)
    call check(all(reals == real(2 * positions + expected, real64)), 'a real tensor takes real parts')
    call dist_map(bytes, [bytes], weighted)
    call bytes%read([1_int64, 1_int64], small)
    expected = reshape([((number_at(i, j, 1), i=1, 6), j=1, 7)], [6, 7])
    call check(all(small == int(positions + expected, int8)), 'a map of integers')
    call dist_map(single, [dist_tensor ::], weighted)
    call dist_local(single, block)
    call check(all(block == reshape(real(positions, real32), [42])), 'a map of no tensors, to all copies')

    call dist_map(half, [x], weighted, stat=code, errmsg=message)
    call check_code(int(tenfold_unsupported), code, 'a map to bf16')
    call check_text('map to one of f32, and convert it', message)
    call dist_map(bytes, [x], three_hundred, stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'an element that is none of the type')
    call check_text('the function that maps elements returned 6', message)
    call square%create(everyone, tenfold_f64, [6, 6])
    call dist_map(square, [x], weighted, stat=code)
    call check_code(int(tenfold_extent_mismatch), code, 'a map of another shape')
    if (everyone%rank() == everyone%ranks() - 1) then
      call dist_map(x, [z, nothing], weighted, stat=code, errmsg=message)
    else
      call dist_map(x, [z, z], weighted, stat=code, errmsg=message)
    end if
    call check_code(int(tenfold_invalid_argument), code, 'an input that was not created, on one rank')
    call check_text('input 2 is NULL', message)
    call dist_map(nothing, [x], weighted, stat=code, errmsg=message)
    call check_text('d is NULL', message)
    call x%destroy()
    call z%destroy()
    call single%destroy()
    call half%destroy()
    call other%destroy()
    call bytes%destroy()
    call square%destroy()
  end subroutine test_maps

  subroutine test_largest(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, nothing
    integer(int64), allocatable :: at(:, :)
    complex(real64), allocatable :: values(:)
    real(real64) :: whole(6, 7)
    logical :: left(6, 7)
    character(200) :: message
    integer :: code, i, j, first(2)
    call x%create(everyone, tenfold_f64, [6, 7])
    call x%fill_by(element_of_a)
    whole = reshape([((number_at(i, j, 1), i=1, 6), j=1, 7)], [6, 7])
    call dist_largest(x, 20, at, values)
    call check(size(values) == 20 .and. all(shape(at) == [2, 20]), 'as many as were asked for')
    left = .true.
    do i = 1, 20
      first = maxloc(abs(whole), mask=left)
      left(first(1), first(2)) = .false.
      call check(all(at(:, i) == first) .and. values(i) == whole(first(1), first(2)), 'the largest elements')
    end do
    call dist_largest(x, 1000, at, values, counts=is_in_last_columns)
    call check(size(values) == 18 .and. all(at(2, :) > 4), 'no more than count')
    first = maxloc(abs(whole(:, 5:)))
    call check(all(at(:, 1) == first + [0, 4]) .and. abs(values(1)) == maxval(abs(whole(:, 5:))), 'of those that count')
    call dist_largest(x, 0, at, values)
    call check(size(values) == 0 .and. all(shape(at) == [2, 0]), 'none')
    call largest_of(everyone, tenfold_f16, 2.0_real64**(-24))
    call largest_of(everyone, tenfold_f16, -65504.0_real64)
    call largest_of(everyone, tenfold_f16, 1 / 3.0_real64, 0.333251953125_real64)
    call largest_of(everyone, tenfold_f16, -1.0e9_real64, ieee_value(0.0_real64, ieee_negative_inf))
    call largest_of(everyone, tenfold_bf16, -3.5_real64)
    call largest_of(everyone, tenfold_f32, 0.125_real64)
    call largest_of(everyone, tenfold_u8, 200.0_real64)
    call largest_of(everyone, tenfold_i8, -100.0_real64)
    call largest_of(everyone, tenfold_i32, -70000.0_real64)
    call nothing%create(everyone, tenfold_c32, [integer ::])
    call nothing%fill((3, 4))
    call dist_largest(nothing, 2, at, values)
    call check(all(values == [(3, 4)]) .and. all(shape(at) == [0, 1]), 'that of a tensor without dimensions')
    call nothing%destroy()

    call dist_largest(x, -1, at, values, stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a negative number')
    call check(size(values) == 0 .and. size(at) == 0, 'nothing was found')
    call dist_largest(nothing, 1, at, values, stat=code, errmsg=message)
    call check_text('tensor is NULL', message)
    if (everyone%ranks() > 1) then
      if (everyone%rank() == 0) then
        call dist_largest(x, 1, at, values, stat=code)
      else
        call dist_largest(x, 1, at, values, is_in_last_columns, stat=code)
      end if
      call check_code(int(tenfold_disagreement), code, 'a filter on some ranks')
    end if
    call x%destroy()
  end subroutine test_largest

  !> The only element of a tensor that is filled with a number, which may be rounded.
  subroutine largest_of(everyone, type, number, rounded)
    type(tenfold_world), intent(in) :: everyone
    integer, intent(in) :: type
    real(real64), intent(in) :: number
    real(real64), intent(in), optional :: rounded
    type(dist_tensor) :: x
    integer(int64), allocatable :: at(:, :)
    complex(real64), allocatable :: values(:)
    real(real64) :: expected
    expected = number
    if (present(rounded)) expected = rounded
    call x%create(everyone, type, [1])
    call x%fill(number)
    call dist_largest(x, 1, at, values)
    call check(all(values == [cmplx(expected, kind=real64)]) .and. all(at == 1), 'an element of any type')
    call x%destroy()
  end subroutine largest_of
end module dist_operation_tests
