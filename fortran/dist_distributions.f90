! Distributions: how the modes of a tensor are cut, and how many copies are kept.
module tenfold_dist_distributions
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_dist_bindings
  use tenfold_dist_plan_bindings
  use tenfold_errors
  implicit none
  private

  public :: make_distribution, copies_of, tensor_distribution, distribution_handle, distribution_from

  !> Which of any number of ranks has which part of a tensor. A copy refers to the same distribution;
  !> destroy it once. Nothing here is collective. Ranks begin at 0, positions at 1.
  type :: tensor_distribution
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_of_integers
    procedure, private :: create_of_long_integers
    generic :: create => create_of_integers, create_of_long_integers
    procedure :: describe
    procedure :: ranks
    procedure :: copies
    procedure :: extents
    procedure :: grid
    procedure :: block => block_of
    procedure :: owner
    procedure :: equals
    procedure :: destroy
  end type tensor_distribution

contains

  !> grid: into how many blocks each mode is cut; without it, as by default. copies: how many equal
  !> copies there are, each of them cut in this way and on ranks of its own; 1 without it.
  subroutine create_of_long_integers(self, extents, ranks, grid, copies, stat, errmsg)
    class(tensor_distribution), intent(inout) :: self
    integer(int64), intent(in) :: extents(:)
    integer, intent(in) :: ranks
    integer, intent(in), optional :: grid(:), copies
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code, wanted
    call self%destroy()
    if (present(grid)) then
      call cut_by_grid(extents, grid, int(ranks, c_int32_t), self%handle, code, copies)
    else
      wanted = 1
      if (present(copies)) wanted = int(copies, c_int32_t)
      code = c_distribution_create_replicated(size(extents, kind=c_int32_t), extents, &
                                              int(ranks, c_int32_t), wanted, self%handle)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine create_of_long_integers

  subroutine create_of_integers(self, extents, ranks, grid, copies, stat, errmsg)
    class(tensor_distribution), intent(inout) :: self
    integer, intent(in) :: extents(:), ranks
    integer, intent(in), optional :: grid(:), copies
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%create_of_long_integers(int(extents, int64), ranks, grid, copies, stat, errmsg)
  end subroutine create_of_integers

  !> "extents (48, 36), grid 2x3 on 8 ranks"; '' unless it was created.
  function describe(self) result(text)
    class(tensor_distribution), intent(in) :: self
    character(:), allocatable :: text
    type(c_ptr) :: pointer
    text = ''
    if (c_distribution_text(self%handle, pointer) == tenfold_ok) text = text_of(pointer)
  end function describe

  !> 0 unless it was created, as the next three.
  integer function ranks(self)
    class(tensor_distribution), intent(in) :: self
    type(c_distribution_parts) :: parts
    parts = parts_of(self%handle)
    ranks = int(parts%ranks)
  end function ranks

  integer function copies(self)
    class(tensor_distribution), intent(in) :: self
    type(c_distribution_parts) :: parts
    parts = parts_of(self%handle)
    copies = int(parts%copies)
  end function copies

  function extents(self)
    class(tensor_distribution), intent(in) :: self
    integer(int64), allocatable :: extents(:)
    integer(c_int64_t), pointer :: own(:)
    type(c_distribution_parts) :: parts
    parts = parts_of(self%handle)
    allocate (extents(parts%order))
    if (parts%order == 0) return
    call c_f_pointer(parts%extents, own, [parts%order])
    extents = own
  end function extents

  function grid(self)
    class(tensor_distribution), intent(in) :: self
    integer, allocatable :: grid(:)
    integer(c_int32_t), pointer :: own(:)
    type(c_distribution_parts) :: parts
    parts = parts_of(self%handle)
    allocate (grid(parts%order))
    if (parts%order == 0) return
    call c_f_pointer(parts%grid, own, [parts%order])
    grid = int(own)
  end function grid

  !> The block of a rank: the position of its first element, its extents, and its number of elements,
  !> which alone tells of a tensor without dimensions. A rank that owns nothing has extents of 0.
  subroutine block_of(self, rank, first, extents, elements, stat, errmsg)
    class(tensor_distribution), intent(in) :: self
    integer, intent(in) :: rank
    integer(int64), allocatable, intent(out), optional :: first(:), extents(:)
    integer(int64), intent(out), optional :: elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable :: begin(:), lengths(:)
    integer(c_int64_t) :: count
    type(c_distribution_parts) :: parts
    integer(c_int32_t) :: code
    parts = parts_of(self%handle)
    allocate (begin(parts%order), lengths(parts%order))
    begin = 0
    lengths = 0
    count = 0
    code = c_distribution_block(self%handle, int(rank, c_int32_t), begin, lengths, count)
    if (present(first)) first = begin + 1
    if (present(extents)) extents = lengths
    if (present(elements)) elements = count
    call report(code, last_message(code), stat, errmsg)
  end subroutine block_of

  !> The rank that owns the element at a position, in the first copy; -1 if there is none.
  integer function owner(self, position, stat, errmsg)
    class(tensor_distribution), intent(in) :: self
    integer(int64), intent(in) :: position(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_distribution_parts) :: parts
    integer(c_int32_t) :: rank, code
    rank = -1
    parts = parts_of(self%handle)
    if (c_associated(self%handle) .and. size(position) /= parts%order) then
      code = tenfold_order_mismatch
      call keep_error(code, 'the position has another number of indices than the tensor has dimensions', &
                      'position')
    else
      code = c_distribution_owner(self%handle, position - 1, rank)
    end if
    owner = int(rank)
    call report(code, last_message(code), stat, errmsg)
  end function owner

  !> Whether the two say the same of every rank.
  logical function equals(self, other, stat, errmsg)
    class(tensor_distribution), intent(in) :: self
    type(tensor_distribution), intent(in) :: other
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: equal, code
    equal = 0
    code = c_distribution_equal(self%handle, other%handle, equal)
    equals = equal /= 0
    call report(code, last_message(code), stat, errmsg)
  end function equals

  !> Tensors and plans do not need it any longer.
  subroutine destroy(self)
    class(tensor_distribution), intent(inout) :: self
    call c_distribution_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy

  function distribution_handle(distribution) result(handle)
    class(tensor_distribution), intent(in) :: distribution
    type(c_ptr) :: handle
    handle = distribution%handle
  end function distribution_handle

  !> Takes a handle of C over.
  function distribution_from(handle) result(distribution)
    type(c_ptr), intent(in) :: handle
    type(tensor_distribution) :: distribution
    distribution%handle = handle
  end function distribution_from

  !> All 0 of one that was not created.
  function parts_of(distribution) result(parts)
    type(c_ptr), intent(in) :: distribution
    type(c_distribution_parts) :: parts, described
    if (.not. c_associated(distribution)) return ! without an error
    described%size = c_sizeof(described)
    if (c_distribution_describe(distribution, described) == tenfold_ok) parts = described
  end function parts_of

  !> Null without grid and copies, which means the default. Collective where it fails: then it fails
  !> on all ranks.
  subroutine make_distribution(world, extents, distribution, code, grid, copies)
    type(c_ptr), intent(in) :: world
    integer(int64), intent(in) :: extents(:)
    type(c_ptr), intent(out) :: distribution
    integer(c_int32_t), intent(out) :: code
    integer, intent(in), optional :: grid(:)
    integer, intent(in), optional :: copies
    integer(c_int32_t) :: ranks
    distribution = c_null_ptr
    code = tenfold_ok
    if (.not. present(grid) .and. .not. present(copies)) return
    code = c_world_size(world, ranks)
    if (code /= tenfold_ok) return ! there is no world to tell
    if (present(grid)) then
      call cut_by_grid(extents, grid, ranks, distribution, code, copies)
    else
      code = c_distribution_create_replicated(size(extents, kind=c_int32_t), extents, ranks, &
                                              int(copies, c_int32_t), distribution)
    end if
    if (code /= tenfold_ok) code = c_world_agree(world, code, c_text(last_message(code)))
  end subroutine make_distribution

  subroutine cut_by_grid(extents, grid, ranks, distribution, code, copies)
    integer(int64), intent(in) :: extents(:)
    integer, intent(in) :: grid(:)
    integer(c_int32_t), intent(in) :: ranks
    type(c_ptr), intent(out) :: distribution
    integer(c_int32_t), intent(out) :: code
    integer, intent(in), optional :: copies
    type(c_distribution_parts) :: parts
    integer(c_int64_t), target :: lengths(size(extents) + 1)
    integer(c_int32_t), target :: factors(size(grid) + 1)
    character(*), parameter :: few = 'a tensor has 1 copy or more'
    character(*), parameter :: other_order = 'the grid has another number of modes than the tensor'
    distribution = c_null_ptr
    if (size(grid) /= size(extents)) then
      code = tenfold_order_mismatch
      call keep_error(code, other_order, 'grid')
      return
    end if
    parts%size = c_sizeof(parts)
    parts%order = size(extents, kind=c_int32_t)
    parts%ranks = ranks
    parts%copies = 1
    if (present(copies)) parts%copies = int(copies, c_int32_t)
    if (parts%copies < 1) then
      code = tenfold_invalid_argument
      call keep_error(code, few, 'copies')
      return
    end if
    lengths(:size(extents)) = extents ! with one more, so that those of a scalar have an address, too
    factors(:size(grid)) = int(grid, c_int32_t)
    parts%extents = c_loc(lengths)
    parts%grid = c_loc(factors)
    code = c_distribution_create_from_parts(parts, distribution)
  end subroutine cut_by_grid

  !> How many copies a tensor has; 0 unless it was created.
  integer function copies_of(tensor) result(copies)
    type(c_ptr), intent(in) :: tensor
    type(c_distribution_parts) :: parts
    type(c_ptr) :: distribution
    integer(c_int32_t) :: code
    distribution = c_null_ptr
    code = c_dist_distribution(tensor, distribution)
    if (code == tenfold_ok) parts = parts_of(distribution)
    copies = int(parts%copies)
    call c_distribution_destroy(distribution)
  end function copies_of
end module tenfold_dist_distributions
