! Operations on distributed tensors beside contractions. All are collective; results are the same on
! every rank, with the same bits on any number of ranks.
module tenfold_dist_operations
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_arrays
  use tenfold_dist_bindings
  use tenfold_dist_operation_bindings
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_copy, dist_axpy, dist_scale, dist_fill_uniform, dist_fill_normal
  public :: dist_sum, dist_item, dist_norm1, dist_norm_max, dist_minimum, dist_maximum

contains

  !> y = x, of the same shape and type, in any distributions.
  subroutine dist_copy(x, y, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    type(dist_tensor), intent(inout) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_copy(tensor_handle(x), tensor_handle(y))
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_copy

  !> y = alpha * x + y. alpha: a real, complex or integer number.
  subroutine dist_axpy(alpha, x, y, stat, errmsg)
    class(*), intent(in) :: alpha
    type(dist_tensor), intent(in) :: x
    type(dist_tensor), intent(inout) :: y
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(c_double_complex) :: number
    logical :: is_number
    integer(c_int32_t) :: code
    call read_scalar(alpha, number, is_number)
    if (is_number) then
      code = c_dist_axpy(number, tensor_handle(x), tensor_handle(y))
    else
      code = refuse(y, tenfold_type_mismatch, 'alpha is no real, complex or integer number')
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_axpy

  !> x = factor * x.
  subroutine dist_scale(factor, x, stat, errmsg)
    class(*), intent(in) :: factor
    type(dist_tensor), intent(inout) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(c_double_complex) :: number
    logical :: is_number
    integer(c_int32_t) :: code
    call read_scalar(factor, number, is_number)
    if (is_number) then
      code = c_dist_scale(number, tensor_handle(x))
    else
      code = refuse(x, tenfold_type_mismatch, 'the factor is no real, complex or integer number')
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_scale

  !> Uniform random numbers of [low, high), 0 and 1 if absent. An element depends on the seed and on
  !> its place in the tensor only.
  subroutine dist_fill_uniform(x, seed, low, high, stat, errmsg)
    type(dist_tensor), intent(inout) :: x
    integer(int64), intent(in) :: seed
    real(real64), intent(in), optional :: low, high
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_fill_uniform(tensor_handle(x), seed, value_of(low, 0.0_real64), &
                               value_of(high, 1.0_real64))
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_fill_uniform

  !> Normal random numbers, of mean 0 and deviation 1 if these are absent.
  subroutine dist_fill_normal(x, seed, mean, deviation, stat, errmsg)
    type(dist_tensor), intent(inout) :: x
    integer(int64), intent(in) :: seed
    real(real64), intent(in), optional :: mean, deviation
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_fill_normal(tensor_handle(x), seed, value_of(mean, 0.0_real64), &
                              value_of(deviation, 1.0_real64))
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_fill_normal

  function value_of(given, otherwise) result(value)
    real(real64), intent(in), optional :: given
    real(real64), intent(in) :: otherwise
    real(real64) :: value
    value = otherwise
    if (present(given)) value = given
  end function value_of

  !> Sum of all elements.
  function dist_sum(x, stat, errmsg) result(sum)
    type(dist_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real64) :: sum
    integer(c_int32_t) :: code
    sum = 0
    code = c_dist_sum(tensor_handle(x), sum)
    call report(code, last_message(code), stat, errmsg)
  end function dist_sum

  !> The only element of a tensor without dimensions, or with extents of 1.
  function dist_item(x, stat, errmsg) result(item)
    type(dist_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real64) :: item
    integer(c_int32_t) :: code
    item = 0
    code = c_dist_scalar(tensor_handle(x), item)
    call report(code, last_message(code), stat, errmsg)
  end function dist_item

  !> Sum of |x|.
  function dist_norm1(x, stat, errmsg) result(norm)
    type(dist_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64) :: norm
    integer(c_int32_t) :: code
    norm = 0
    code = c_dist_norm1(tensor_handle(x), norm)
    call report(code, last_message(code), stat, errmsg)
  end function dist_norm1

  !> The largest |x|; NaN if an element is NaN.
  function dist_norm_max(x, stat, errmsg) result(norm)
    type(dist_tensor), intent(in) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64) :: norm
    integer(c_int32_t) :: code
    norm = 0
    code = c_dist_norm_max(tensor_handle(x), norm)
    call report(code, last_message(code), stat, errmsg)
  end function dist_norm_max

  !> The least element of a real tensor, and the position of the first one, with indices from 1: as
  !> many as the tensor has dimensions.
  subroutine dist_minimum(x, value, position, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    real(real64), intent(out) :: value
    integer(int64), intent(out), allocatable, optional :: position(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call find_extreme(c_dist_minimum, x, value, position, stat, errmsg)
  end subroutine dist_minimum

  !> The greatest element likewise.
  subroutine dist_maximum(x, value, position, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    real(real64), intent(out) :: value
    integer(int64), intent(out), allocatable, optional :: position(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call find_extreme(c_dist_maximum, x, value, position, stat, errmsg)
  end subroutine dist_maximum

  subroutine find_extreme(find, x, value, position, stat, errmsg)
    procedure(c_dist_minimum) :: find
    type(dist_tensor), intent(in) :: x
    real(real64), intent(out) :: value
    integer(int64), intent(out), allocatable, optional :: position(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: at(:)
    integer(c_int32_t) :: code
    value = 0
    allocate (at(order_of(x)), source=-1_c_int64_t)
    code = find(tensor_handle(x), value, place_of(at))
    if (present(position)) position = at + 1
    call report(code, last_message(code), stat, errmsg)
  end subroutine find_extreme

  !> 0 of a tensor that was not created.
  function order_of(x) result(order)
    type(dist_tensor), intent(in) :: x
    integer :: order
    type(c_dist_part) :: part
    order = 0
    part%size = c_sizeof(part)
    if (c_dist_local(tensor_handle(x), part) == tenfold_ok) order = part%order
  end function order_of
end module tenfold_dist_operations
