! Distributions: how the modes of a tensor are cut, and how many copies are kept.
module tenfold_dist_distributions
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_dist_bindings
  use tenfold_dist_plan_bindings
  use tenfold_errors
  implicit none
  private

  public :: make_distribution, copies_of

contains

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
    copies = 0
    distribution = c_null_ptr
    parts%size = c_sizeof(parts)
    code = c_dist_distribution(tensor, distribution)
    if (code == tenfold_ok) code = c_distribution_describe(distribution, parts)
    if (code == tenfold_ok) copies = int(parts%copies)
    call c_distribution_destroy(distribution)
  end function copies_of
end module tenfold_dist_distributions
