! Worlds: the ranks that share tensors.
module tenfold_dist_worlds
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08, only: MPI_Comm
  use tenfold_dist_bindings
  use tenfold_errors
  implicit none
  private

  public :: tenfold_world, world_handle, make_distribution

  !> The ranks of a communicator. A copy refers to the same world; destroy it once.
  type :: tenfold_world
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_of_communicator
    procedure, private :: create_of_integer
    generic :: create => create_of_communicator, create_of_integer
    procedure :: rank => world_rank
    procedure :: ranks => world_ranks
    procedure :: destroy => destroy_world
  end type tenfold_world

contains

  !> Collective over the communicator, which is duplicated.
  subroutine create_of_communicator(self, comm, stat, errmsg)
    class(tenfold_world), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%create_of_integer(comm%mpi_val, stat, errmsg)
  end subroutine create_of_communicator

  !> The same from a communicator of the module mpi.
  subroutine create_of_integer(self, comm, stat, errmsg)
    class(tenfold_world), intent(inout) :: self
    integer, intent(in) :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call self%destroy()
    code = c_world_create(comm, self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine create_of_integer

  subroutine destroy_world(self)
    class(tenfold_world), intent(inout) :: self
    call c_world_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy_world

  !> From 0; -1 unless the world was created.
  integer function world_rank(self)
    class(tenfold_world), intent(in) :: self
    integer(c_int32_t) :: rank
    if (c_world_rank(self%handle, rank) /= tenfold_ok) rank = -1
    world_rank = int(rank)
  end function world_rank

  !> Their number; 0 unless the world was created.
  integer function world_ranks(self)
    class(tenfold_world), intent(in) :: self
    integer(c_int32_t) :: ranks
    if (c_world_size(self%handle, ranks) /= tenfold_ok) ranks = 0
    world_ranks = int(ranks)
  end function world_ranks

  function world_handle(world) result(handle)
    class(tenfold_world), intent(in) :: world
    type(c_ptr) :: handle
    handle = world%handle
  end function world_handle

  !> Collective where it fails: then it fails on all ranks. Null without a grid.
  subroutine make_distribution(world, extents, distribution, code, grid)
    type(c_ptr), intent(in) :: world
    integer(int64), intent(in) :: extents(:)
    type(c_ptr), intent(out) :: distribution
    integer(c_int32_t), intent(out) :: code
    integer, intent(in), optional :: grid(:)
    integer(c_int32_t) :: ranks
    distribution = c_null_ptr
    code = tenfold_ok
    if (.not. present(grid)) return
    code = c_world_size(world, ranks)
    if (code /= tenfold_ok) return ! there is no world to tell
    if (size(grid) /= size(extents)) then
      code = c_world_agree(world, tenfold_order_mismatch, &
                           c_text('the grid has another number of modes than the tensor'))
      return
    end if
    code = c_distribution_create(size(extents, kind=c_int32_t), extents, int(grid, c_int32_t), &
                                 ranks, c_null_ptr, distribution)
    if (code /= tenfold_ok) code = c_world_agree(world, code, c_text(last_message(code)))
  end subroutine make_distribution
end module tenfold_dist_worlds
