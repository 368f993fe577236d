! Each rank's own block of a distributed tensor, where it lies.
module tenfold_dist_blocks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use tenfold_arrays, only: tenfold_f32, tenfold_f64, tenfold_c32, tenfold_c64, tenfold_i8, tenfold_i32
  use tenfold_bindings, only: c_type_name
  use tenfold_dist_bindings
  use tenfold_dist_plan_bindings
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_local, dist_local_to_write

  !> Local. This rank's elements, in the order of arrays, as long as the tensor lives:
  !>     real(real64), pointer, contiguous :: block(:), matrix(:, :)
  !>     call dist_local(t, block, first, extents)
  !>     matrix(1:extents(1), 1:extents(2)) => block
  !> first: the position of the first one, from 1. The pointer has the type of the tensor. A rank that
  !> owns nothing gets no elements. The elements of a tensor with one copy may be written.
  interface dist_local
    module procedure local_f32, local_f64, local_c32, local_c64, local_i8, local_i32
  end interface dist_local

  !> Local. The same where elements are to be written by hand. If the tensor has several copies, what
  !> reads it fails on all ranks from now on, until refresh() or a call that writes every element;
  !> after that, this block must not be written any longer. What is written to other copies than the
  !> first one is lost.
  interface dist_local_to_write
    module procedure local_to_write_f32, local_to_write_f64, local_to_write_c32, local_to_write_c64, &
                     local_to_write_i8, local_to_write_i32
  end interface dist_local_to_write

contains

  subroutine local_f32(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(in) :: tensor
    real(real32), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local, tensor, tenfold_f32, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_f32

  subroutine local_to_write_f32(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(inout) :: tensor
    real(real32), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local_to_write, tensor, tenfold_f32, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_to_write_f32

  subroutine local_f64(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(in) :: tensor
    real(real64), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local, tensor, tenfold_f64, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_f64

  subroutine local_to_write_f64(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(inout) :: tensor
    real(real64), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local_to_write, tensor, tenfold_f64, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_to_write_f64

  subroutine local_c32(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(in) :: tensor
    complex(real32), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local, tensor, tenfold_c32, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_c32

  subroutine local_to_write_c32(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(inout) :: tensor
    complex(real32), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local_to_write, tensor, tenfold_c32, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_to_write_c32

  subroutine local_c64(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(in) :: tensor
    complex(real64), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local, tensor, tenfold_c64, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_c64

  subroutine local_to_write_c64(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(inout) :: tensor
    complex(real64), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local_to_write, tensor, tenfold_c64, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_to_write_c64

  subroutine local_i8(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(in) :: tensor
    integer(int8), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local, tensor, tenfold_i8, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_i8

  subroutine local_to_write_i8(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(inout) :: tensor
    integer(int8), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local_to_write, tensor, tenfold_i8, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_to_write_i8

  subroutine local_i32(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(in) :: tensor
    integer(int32), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local, tensor, tenfold_i32, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_i32

  subroutine local_to_write_i32(tensor, block, first, extents, stat, errmsg)
    type(dist_tensor), intent(inout) :: tensor
    integer(int32), pointer, contiguous, intent(out) :: block(:)
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    call get_part(c_dist_local_to_write, tensor, tenfold_i32, part, first, extents, stat, errmsg)
    call c_f_pointer(part%data, block, [part%elements])
  end subroutine local_to_write_i32

  !> What `by` says of the tensor, if that has the type; no elements otherwise.
  subroutine get_part(by, tensor, type, part, first, extents, stat, errmsg)
    procedure(c_dist_local) :: by
    type(dist_tensor), intent(in) :: tensor
    integer(c_int32_t), intent(in) :: type
    type(c_dist_part), intent(out) :: part
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), pointer :: own(:)
    integer(c_int32_t) :: code
    part%size = c_sizeof(part)
    code = c_dist_local(tensor_handle(tensor), part)
    if (code == tenfold_ok .and. part%type /= type) then
      code = tenfold_type_mismatch
      call keep_error(code, 'the block has elements of ' // text_of(c_type_name(type)) // ', the tensor of ' // &
                      text_of(c_type_name(part%type)), 'block')
    end if
    if (code == tenfold_ok) code = by(tensor_handle(tensor), part)
    if (code == tenfold_ok) then
      call c_f_pointer(part%offsets, own, [part%order])
      if (present(first)) first = own + 1
      call c_f_pointer(part%extents, own, [part%order])
      if (present(extents)) extents = own
    else
      part%elements = 0
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine get_part
end module tenfold_dist_blocks
