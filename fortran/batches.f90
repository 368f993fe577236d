! Batches: many arrays of one shape, for contractions of one plan.
module tenfold_batches
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_arrays
  use tenfold_bindings
  implicit none
  private

  public :: tensor_batch, batch_of_slices, batch_of_views, batch_of_one, fault_of_batch, &
            has_no_shape, batch_for_c

  !> What one input, C or D of each contraction of a batch is. It refers to arrays, which must have
  !> the attribute target, and exist, as long as it is used.
  type :: tensor_batch
    private
    type(described_array), public :: array !< of the first contraction
    integer(int64), public :: count = 0 !< -1: one array for any number of contractions
    integer(int64) :: stride = 0
    type(c_ptr), allocatable :: addresses(:)
    integer :: odd_one = 0 !< a view that lies otherwise than the first one
    logical :: is_scalar = .false. !< no dimension counts the contractions
  end type tensor_batch

contains

  !> The last dimension counts: contraction i gets array(:, .., :, i).
  function batch_of_slices(array) result(batch)
    type(*), dimension(..), intent(in), target :: array
    type(tensor_batch) :: batch
    batch%array = described(array)
    if (batch%array%type < 0) return
    batch%is_scalar = batch%array%order == 0
    if (batch%is_scalar) return
    batch%count = batch%array%extents(batch%array%order)
    batch%stride = batch%array%strides(batch%array%order)
    batch%array%order = batch%array%order - 1
  end function batch_of_slices

  !> Arrays that lie anywhere, all in the same way: contraction i gets the i-th one.
  function batch_of_views(views) result(batch)
    type(tensor_view), intent(in) :: views(:)
    type(tensor_batch) :: batch
    integer :: i
    batch%count = size(views)
    allocate (batch%addresses(size(views)))
    batch%addresses(:) = views%array%data
    if (size(views) == 0) return
    batch%array = views(1)%array
    do i = 2, size(views)
      if (batch%odd_one == 0 .and. .not. lie_alike(views(1)%array, views(i)%array)) batch%odd_one = i
    end do
  end function batch_of_views

  !> An input, or c, that is the same array in every contraction.
  function batch_of_one(array) result(batch)
    type(*), dimension(..), intent(in), target :: array
    type(tensor_batch) :: batch
    batch%array = described(array)
    batch%count = -1
  end function batch_of_one

  !> Whether a batch is a list of no arrays, which says nothing of their types and shapes.
  logical function has_no_shape(batch)
    type(tensor_batch), intent(in) :: batch
    has_no_shape = .false.
    if (allocated(batch%addresses)) has_no_shape = size(batch%addresses) == 0
  end function has_no_shape

  !> Why a batch cannot serve `count` contractions of a plan that was created with `planned`, or ''.
  !> output: what the batch with `count` arrays is called, if not d.
  function fault_of_batch(batch, planned, name, count, output) result(message)
    type(tensor_batch), intent(in) :: batch
    type(described_array), intent(in) :: planned
    character(*), intent(in) :: name
    integer(int64), intent(in) :: count
    character(*), intent(in), optional :: output
    character(:), allocatable :: message, other
    other = 'd'
    if (present(output)) other = output
    message = ''
    if (batch%count == 0 .and. count == 0) return
    message = fault_of(batch%array, name)
    if (message /= '') return
    if (batch%is_scalar) then
      message = name // ' has no dimension that counts the contractions'
    else if (batch%odd_one > 0) then
      message = 'array ' // number(int(batch%odd_one, int64)) // ' of ' // name // &
                ' does not lie as the first one'
    else if (batch%count >= 0 .and. batch%count /= count) then
      message = name // ' is a batch of ' // number(batch%count) // ', but ' // other // ' is a batch of ' // &
                number(count)
    else if (.not. lie_alike(planned, batch%array)) then
      message = name // ' does not lie as the array with which the plan was created'
    end if
  end function fault_of_batch

  function number(value) result(text)
    integer(int64), intent(in) :: value
    character(:), allocatable :: text
    character(20) :: digits
    write (digits, '(i0)') value
    text = trim(digits)
  end function number

  !> The batch as C has it. Refers to the argument.
  function batch_for_c(batch) result(own)
    type(tensor_batch), intent(in), target :: batch
    type(c_batch_tensor) :: own
    own%first = batch%array%data
    own%stride = batch%stride
    if (.not. allocated(batch%addresses)) return
    if (size(batch%addresses) > 0) own%addresses = c_loc(batch%addresses)
  end function batch_for_c
end module tenfold_batches
