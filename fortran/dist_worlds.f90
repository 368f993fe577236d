! Worlds: the ranks that share tensors.
module tenfold_dist_worlds
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use tenfold_contexts, only: tenfold_context, handle_or_null
  use tenfold_dist_bindings
  use tenfold_dist_operation_bindings, only: c_world_split, c_world_split_by_node
  use tenfold_errors
  implicit none
  private

  public :: tenfold_world, world_handle

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
    procedure :: threads => world_threads
    procedure :: ranks_per_node => world_ranks_per_node
    procedure :: split => split_world
    procedure :: split_by_node
    procedure :: destroy => destroy_world
  end type tenfold_world

contains

  !> Collective over the communicator, which is duplicated. context: whose settings the world takes
  !> (threads, watchdog_seconds, presence_seconds), else those of the process.
  subroutine create_of_communicator(self, comm, context, stat, errmsg)
    class(tenfold_world), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    type(tenfold_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%create_of_integer(comm%mpi_val, context, stat, errmsg)
  end subroutine create_of_communicator

  !> The same from a communicator of the module mpi.
  subroutine create_of_integer(self, comm, context, stat, errmsg)
    class(tenfold_world), intent(inout) :: self
    integer, intent(in) :: comm
    type(tenfold_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: its_context
    integer(c_int32_t) :: code
    call self%destroy()
    its_context = c_null_ptr
    if (present(context)) its_context = handle_or_null(context)
    code = c_world_create(comm, its_context, self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine create_of_integer

  !> Collective. Makes `part` a world of the ranks that pass the same group, in their order. Ranks whose
  !> group is negative get none; part%rank() is -1 there. Threads, watchdog and presence are this world's.
  subroutine split_world(self, group, part, stat, errmsg)
    class(tenfold_world), intent(in) :: self
    integer, intent(in) :: group
    class(tenfold_world), intent(inout) :: part
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call part%destroy()
    code = c_world_split(self%handle, int(group, c_int32_t), part%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine split_world

  !> Collective. Makes `part` a world of the ranks on this rank's node, which can share memory, likewise.
  subroutine split_by_node(self, part, stat, errmsg)
    class(tenfold_world), intent(in) :: self
    class(tenfold_world), intent(inout) :: part
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call part%destroy()
    code = c_world_split_by_node(self%handle, part%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine split_by_node

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

  !> Threads of this rank's local work; 0 unless the world was created.
  integer function world_threads(self)
    class(tenfold_world), intent(in) :: self
    integer(c_int32_t) :: threads
    if (c_world_threads(self%handle, threads) /= tenfold_ok) threads = 0
    world_threads = int(threads)
  end function world_threads

  !> Ranks of a node, if those of a node follow each other; 0 if not, or if all are on one node.
  integer function world_ranks_per_node(self)
    class(tenfold_world), intent(in) :: self
    integer(c_int32_t) :: ranks
    if (c_world_ranks_per_node(self%handle, ranks) /= tenfold_ok) ranks = 0
    world_ranks_per_node = int(ranks)
  end function world_ranks_per_node

  function world_handle(world) result(handle)
    class(tenfold_world), intent(in) :: world
    type(c_ptr) :: handle
    handle = world%handle
  end function world_handle
end module tenfold_dist_worlds
