! The largest elements of distributed tensors.
module tenfold_dist_largest_elements
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use tenfold_dist_bindings
  use tenfold_dist_numbers
  use tenfold_dist_operation_bindings
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_largest, position_filter

  abstract interface
    !> Whether a position of the whole tensor counts; indices begin at 1.
    function position_filter(position) result(counts)
      import :: int64
      integer(int64), intent(in) :: position(:)
      logical :: counts
    end function position_filter
  end interface

  !> What dist_largest() passes through C.
  type :: filtering
    procedure(position_filter), pointer, nopass :: counts => null()
    integer :: order = 0
  end type filtering

contains

  !> Collective. The `most` largest elements by magnitude, the largest first, or fewer if the tensor has
  !> no more; the first one in the tensor of equal ones, and NaNs before numbers. The position of element
  !> i is positions(:, i), with indices from 1. counts: which positions count, else all; all ranks pass
  !> one, or none does. A rank receives so many elements of each rank, at most 2**24 together. Both
  !> arrays have no elements after a failure.
  subroutine dist_largest(x, most, positions, values, counts, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    integer, intent(in) :: most
    integer(int64), allocatable, intent(out) :: positions(:, :)
    complex(real64), allocatable, intent(out) :: values(:)
    procedure(position_filter), optional :: counts
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    type(filtering), target :: how
    type(c_position_filter), target :: own
    type(c_ptr) :: filter
    integer(c_int64_t), allocatable, target :: indices(:)
    integer(int8), allocatable, target :: elements(:)
    integer(c_int64_t) :: room, found
    integer(c_int32_t) :: code
    integer :: lacking
    found = 0
    filter = c_null_ptr
    part%size = c_sizeof(part)
    code = c_dist_local(tensor_handle(x), part)
    if (code == tenfold_ok) then
      how%order = int(part%order)
      if (present(counts)) then
        how%counts => counts
        own = c_position_filter(c_funloc(count_position), c_loc(how))
        filter = c_loc(own)
      end if
      room = room_for(most, part)
      allocate (indices(max(1_c_int64_t, room * part%order)), elements(room * bytes_of(part%type)), stat=lacking)
      if (lacking == 0) then
        code = c_dist_largest(tensor_handle(x), int(most, c_int64_t), filter, c_loc(indices), c_loc(elements), found)
      else
        code = refuse(x, tenfold_out_of_memory, 'no memory for the largest elements')
      end if
    end if
    if (code == tenfold_ok) then
      positions = reshape(indices(:part%order * found), [int(part%order, c_int64_t), found]) + 1
      values = numbers_of(elements, part%type, found)
    else
      allocate (positions(0, 0), values(0))
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_largest

  !> For how many elements there is to be room: no more than are found, and at least one, whose address
  !> C wants. A number that C refuses takes none.
  function room_for(most, part) result(room)
    integer, intent(in) :: most
    type(c_dist_part), intent(in) :: part
    integer(c_int64_t) :: room
    integer(c_int64_t), pointer :: extents(:)
    integer(c_int64_t), parameter :: most_of_all = 2_c_int64_t**24
    call c_f_pointer(part%tensor_extents, extents, [part%order])
    room = max(1_c_int64_t, min(int(most, c_int64_t), product(extents)))
    if (room > most_of_all) room = 1
  end function room_for

  function numbers_of(elements, type, count) result(numbers)
    integer(int8), intent(in), target :: elements(:)
    integer(c_int32_t), intent(in) :: type
    integer(c_int64_t), intent(in) :: count
    complex(real64) :: numbers(count)
    integer(c_int64_t) :: i
    do i = 1, count
      numbers(i) = number_of(c_loc(elements(1 + (i - 1) * bytes_of(type))), type)
    end do
  end function numbers_of

  function count_position(position, user) bind(C) result(counts)
    type(c_ptr), value :: position, user
    integer(c_int32_t) :: counts
    type(filtering), pointer :: how
    integer(c_int64_t), pointer :: indices(:)
    call c_f_pointer(user, how)
    call c_f_pointer(position, indices, [how%order])
    counts = merge(1_c_int32_t, 0_c_int32_t, how%counts(indices + 1))
  end function count_position
end module tenfold_dist_largest_elements
