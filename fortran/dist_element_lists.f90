! Elements of distributed tensors by lists of positions.
!
! All procedures are collective. Every rank passes a list of its own, which may be empty: the position
! of element i is positions(:, i), with indices from 1, and values is an array of one dimension, of the
! tensor's type, whose elements lie side by side.
module tenfold_dist_element_lists
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_dist_bindings
  use tenfold_dist_operation_bindings
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_read_elements, dist_write_elements, dist_add_elements

contains

  subroutine dist_read_elements(x, positions, values, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    integer(int64), intent(in) :: positions(:, :)
    type(*), dimension(..), intent(inout) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_elements(c_dist_read_elements, x, positions, described(values), stat, errmsg)
  end subroutine dist_read_elements

  !> An element that occurs several times gets the last value of the highest rank that writes it.
  subroutine dist_write_elements(x, positions, values, stat, errmsg)
    type(dist_tensor), intent(inout) :: x
    integer(int64), intent(in) :: positions(:, :)
    type(*), dimension(..), intent(in) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_elements(c_dist_write_elements, x, positions, described(values), stat, errmsg)
  end subroutine dist_write_elements

  !> Adds to elements: first the values of rank 0 in the order of its list, then those of rank 1, and
  !> so on.
  subroutine dist_add_elements(x, positions, values, stat, errmsg)
    type(dist_tensor), intent(inout) :: x
    integer(int64), intent(in) :: positions(:, :)
    type(*), dimension(..), intent(in) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_elements(c_dist_add_elements, x, positions, described(values), stat, errmsg)
  end subroutine dist_add_elements

  subroutine move_elements(by, x, positions, values, stat, errmsg)
    procedure(c_dist_read_elements) :: by
    type(dist_tensor), intent(in) :: x
    integer(int64), intent(in) :: positions(:, :)
    type(described_array), intent(in) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: indices(:)
    integer(c_int32_t) :: code
    call check_list(x, positions, values, code)
    if (code == tenfold_ok) then
      indices = reshape(positions, [size(positions)]) - 1
      code = by(tensor_handle(x), size(positions, 2, kind=c_int64_t), place_of(indices), values%data)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine move_elements

  !> Refuses, on all ranks, a list that does not go with the tensor.
  subroutine check_list(x, positions, values, code)
    type(dist_tensor), intent(in) :: x
    integer(int64), intent(in) :: positions(:, :)
    type(described_array), intent(in) :: values
    integer(c_int32_t), intent(out) :: code
    type(c_dist_part) :: part
    part%size = c_sizeof(part)
    code = c_dist_local(tensor_handle(x), part)
    if (code /= tenfold_ok) return ! there is no world to tell
    if (fault_of(values, 'values') /= '') then
      code = refuse(x, tenfold_type_mismatch, fault_of(values, 'values'))
    else if (values%type /= part%type) then
      code = refuse(x, tenfold_type_mismatch, 'values is ' // text_of(c_type_name(values%type)) // &
                    ', the tensor is ' // text_of(c_type_name(part%type)))
    else if (values%order /= 1) then
      code = refuse(x, tenfold_order_mismatch, 'values is no array of one dimension')
    else if (size(positions, 1) /= part%order) then
      code = refuse(x, tenfold_order_mismatch, &
                    'positions have another number of indices than the tensor has dimensions')
    else if (size(positions, 2) /= values%extents(1)) then
      code = refuse(x, tenfold_extent_mismatch, 'there is another number of values than of positions')
    else if (values%strides(1) /= 1 .and. values%extents(1) > 1) then
      code = refuse(x, tenfold_invalid_argument, 'the elements of values do not lie side by side')
    end if
  end subroutine check_list
end module tenfold_dist_element_lists
