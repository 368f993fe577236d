! Arrays that hold parts of distributed tensors, which are handles of C here.
module tenfold_dist_transfers
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_dist_bindings
  use tenfold_errors
  implicit none
  private

  public :: refuse_call, move_slice, move_whole, place_of

contains

  !> Lets the collective call of the other ranks fail, because this one cannot make it.
  function refuse_call(tensor, code, message) result(agreed)
    type(c_ptr), intent(in) :: tensor
    integer(c_int32_t), intent(in) :: code
    character(*), intent(in) :: message
    integer(c_int32_t) :: agreed
    type(c_ptr) :: world
    agreed = c_dist_world(tensor, world)
    if (agreed /= tenfold_ok) return
    agreed = c_world_agree(world, code, c_text(message))
    call c_world_destroy(world)
  end function refuse_call

  !> Moves a slice, or nothing, by a function of C.
  subroutine move_slice(by, tensor, code, first, array)
    procedure(c_dist_read) :: by
    type(c_ptr), intent(in) :: tensor
    integer(c_int32_t), intent(out) :: code
    integer(int64), intent(in), optional :: first(:)
    type(described_array), intent(in), target, optional :: array
    type(c_tensor), target :: own
    integer(c_int64_t), allocatable, target :: offsets(:)
    if (.not. present(array)) then
      code = by(tensor, c_null_ptr, c_null_ptr, c_null_ptr)
      return
    end if
    call check_array(tensor, array, code, first)
    if (code /= tenfold_ok) return
    own = tensor_of(array)
    offsets = first - 1
    code = by(tensor, place_of(offsets), c_loc(own), array%data)
  end subroutine move_slice

  !> The address of offsets or of a position, which may be none.
  function place_of(offsets) result(place)
    integer(c_int64_t), intent(in), target :: offsets(:)
    type(c_ptr) :: place
    place = c_null_ptr
    if (size(offsets) > 0) place = c_loc(offsets)
  end function place_of

  !> Refuses, on all ranks, an array that cannot be used, or that has no position.
  subroutine check_array(tensor, array, code, first)
    type(c_ptr), intent(in) :: tensor
    type(described_array), intent(in) :: array
    integer(c_int32_t), intent(out) :: code
    integer(int64), intent(in), optional :: first(:)
    character(:), allocatable :: message
    code = tenfold_ok
    message = fault_of(array, 'the array')
    if (message /= '') then
      code = refuse_call(tensor, tenfold_type_mismatch, message)
    else if (.not. present(first)) then
      code = refuse_call(tensor, tenfold_invalid_argument, 'the array has no position: first is absent')
    else if (size(first) /= array%order) then
      code = refuse_call(tensor, tenfold_order_mismatch, &
                    'first has another number of indices than the array has dimensions')
    end if
  end subroutine check_array

  subroutine move_whole(by, tensor, root, code, array)
    procedure(c_dist_gather) :: by
    type(c_ptr), intent(in) :: tensor
    integer, intent(in) :: root
    integer(c_int32_t), intent(out) :: code
    type(described_array), intent(in), target, optional :: array
    type(c_tensor), target :: own
    if (.not. present(array)) then
      code = by(tensor, int(root, c_int32_t), c_null_ptr, c_null_ptr)
    else if (fault_of(array, 'the array') /= '') then
      code = refuse_call(tensor, tenfold_type_mismatch, fault_of(array, 'the array'))
    else
      own = tensor_of(array)
      code = by(tensor, int(root, c_int32_t), c_loc(own), array%data)
    end if
  end subroutine move_whole
end module tenfold_dist_transfers
