! Tensors of programs with distributions of their own: boxes on each rank, and matrices as ScaLAPACK
! distributes them.
!
! All procedures are collective; each rank passes its own boxes. If one rank passes something wrong,
! all fail before anything is written.
module tenfold_dist_boxes
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

  public :: dist_box, dist_import_boxes, dist_export_boxes
  public :: block_cyclic, dist_import_block_cyclic, dist_export_block_cyclic

  !> Elements that a rank holds: dist_box([1, 7], view(array)) are those from position (1, 7) on.
  type :: dist_box
    integer(int64), allocatable :: first(:)
    type(tensor_view) :: elements
  end type dist_box

  !> A matrix as ScaLAPACK distributes it: its descriptor, and what BLACS_GRIDINFO tells of this rank:
  !> rows and columns of the grid of processes, the rank's row and column, from 0, or -1 outside. The
  !> BLACS context in the descriptor is not used.
  type :: block_cyclic
    integer :: descriptor(9)
    integer :: grid(4)
  end type block_cyclic

contains

  !> Sets the elements in the boxes; no element is in two of them, and others keep their values.
  subroutine dist_import_boxes(x, boxes, stat, errmsg)
    type(dist_tensor), intent(inout) :: x
    type(dist_box), intent(in) :: boxes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_boxes(c_dist_import_boxes, x, boxes, stat, errmsg)
  end subroutine dist_import_boxes

  !> The reverse: fills the boxes from the tensor.
  subroutine dist_export_boxes(x, boxes, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    type(dist_box), intent(in) :: boxes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_boxes(c_dist_export_boxes, x, boxes, stat, errmsg)
  end subroutine dist_export_boxes

  subroutine move_boxes(by, x, boxes, stat, errmsg)
    procedure(c_dist_import_boxes) :: by
    type(dist_tensor), intent(in) :: x
    type(dist_box), intent(in), target :: boxes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_box) :: own(size(boxes))
    integer(c_int64_t), allocatable, target :: offsets(:, :)
    integer(c_int32_t) :: code
    integer :: i
    call check_boxes(x, boxes, code)
    if (code == tenfold_ok) then
      allocate (offsets(most_modes, size(boxes)))
      do i = 1, size(boxes)
        offsets(:size(boxes(i)%first), i) = boxes(i)%first - 1
        own(i)%offsets = c_loc(offsets(1, i))
        own(i)%elements = tensor_of(boxes(i)%elements%array)
        own(i)%data = boxes(i)%elements%array%data
      end do
      code = by(tensor_handle(x), own, size(boxes, kind=c_int64_t))
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine move_boxes

  !> Refuses, on all ranks, boxes that cannot be used.
  subroutine check_boxes(x, boxes, code)
    type(dist_tensor), intent(in) :: x
    type(dist_box), intent(in) :: boxes(:)
    integer(c_int32_t), intent(out) :: code
    character(20) :: number
    integer :: i
    code = tenfold_ok
    do i = 1, size(boxes)
      write (number, '(a,i0)') 'box ', i
      if (fault_of(boxes(i)%elements%array, trim(number)) /= '') then
        code = refuse(x, tenfold_type_mismatch, fault_of(boxes(i)%elements%array, trim(number)))
      else if (.not. allocated(boxes(i)%first)) then
        code = refuse(x, tenfold_invalid_argument, trim(number) // ' has no position: first is not allocated')
      else if (size(boxes(i)%first) /= boxes(i)%elements%array%order) then
        code = refuse(x, tenfold_order_mismatch, trim(number) // &
                      ': first has another number of indices than the array has dimensions')
      end if
      if (code /= tenfold_ok) return
    end do
  end subroutine check_boxes

  !> Sets a matrix, a tensor of two dimensions, from each process's part of it.
  subroutine dist_import_block_cyclic(x, matrix, local, stat, errmsg)
    type(dist_tensor), intent(inout) :: x
    type(block_cyclic), intent(in) :: matrix
    type(*), dimension(..), intent(in) :: local
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_matrix(c_dist_import_block_cyclic, x, matrix, described(local), stat, errmsg)
  end subroutine dist_import_block_cyclic

  !> The reverse.
  subroutine dist_export_block_cyclic(x, matrix, local, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    type(block_cyclic), intent(in) :: matrix
    type(*), dimension(..), intent(inout) :: local
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move_matrix(c_dist_export_block_cyclic, x, matrix, described(local), stat, errmsg)
  end subroutine dist_export_block_cyclic

  !> The array is the matrix's part as the descriptor has it, or a longer one, or a section that lies so.
  subroutine move_matrix(by, x, matrix, local, stat, errmsg)
    procedure(c_dist_import_block_cyclic) :: by
    type(dist_tensor), intent(in) :: x
    type(block_cyclic), intent(in) :: matrix
    type(described_array), intent(in) :: local
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_block_cyclic) :: own
    type(c_dist_part) :: part
    integer(c_int32_t) :: code
    part%size = c_sizeof(part)
    code = c_dist_local(tensor_handle(x), part)
    if (code == tenfold_ok) then
      code = c_block_cyclic_from_descriptor(int(matrix%descriptor, c_int32_t), int(matrix%grid, c_int32_t), own)
      if (code /= tenfold_ok) then
        code = refuse(x, code, last_message(code))
      else if (fault_of(local, 'the array') /= '') then
        code = refuse(x, tenfold_type_mismatch, fault_of(local, 'the array'))
      else if (local%type /= part%type) then
        code = refuse(x, tenfold_type_mismatch, 'the array is ' // text_of(c_type_name(local%type)) // &
                      ', the tensor is ' // text_of(c_type_name(part%type)))
      else if (holds_too_few(local, own)) then
        code = refuse(x, tenfold_extent_mismatch, &
                      "the array does not hold this process's part of the matrix, column by column")
      else
        code = by(tensor_handle(x), own, local%data)
      end if
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine move_matrix

  logical function holds_too_few(local, matrix)
    type(described_array), intent(in) :: local
    type(c_block_cyclic), intent(in) :: matrix
    integer(c_int64_t) :: rows, columns
    integer(c_int32_t) :: code ! always tenfold_ok
    code = c_block_cyclic_local(matrix, rows, columns)
    holds_too_few = .false.
    if (rows == 0 .or. columns == 0) return
    holds_too_few = elements_in_a_row(local) < matrix%leading * (columns - 1) + rows
    if (local%order /= 2) return
    if ((local%strides(1) == 1 .or. rows == 1) .and. (local%strides(2) == matrix%leading .or. columns == 1) .and. &
        local%extents(1) >= rows .and. local%extents(2) >= columns) holds_too_few = .false.
  end function holds_too_few

  !> How many elements of an array lie side by side from its first one on, up to a gap.
  pure function elements_in_a_row(local) result(count)
    type(described_array), intent(in) :: local
    integer(c_int64_t) :: count
    integer :: mode
    count = 1
    if (any(local%extents(:local%order) == 0)) count = 0
    do mode = 1, local%order
      if (local%extents(mode) /= 1 .and. local%strides(mode) /= count) return
      count = count * local%extents(mode)
    end do
  end function elements_in_a_row
end module tenfold_dist_boxes
