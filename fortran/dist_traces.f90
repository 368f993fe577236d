! Traces of how ranks spend their time.
module tenfold_dist_traces
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use tenfold_dist_bindings
  use tenfold_dist_worlds
  use tenfold_errors
  implicit none
  private

  public :: dist_trace, trace_totals

  !> Records what the collective calls on a world do, from create to destroy. A copy refers to the
  !> same trace; destroy it once.
  type :: dist_trace
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create
    procedure :: totals
    procedure :: reset
    procedure :: write => write_file
    procedure :: destroy
  end type dist_trace

  !> Seconds of one rank. compute, pack, communication, idle and plan do not overlap.
  type :: trace_totals
    real(real64) :: calls = 0 !< in collective calls
    real(real64) :: compute = 0 !< products and sums of tensors
    real(real64) :: pack = 0 !< copies into and out of messages and panels
    real(real64) :: communication = 0 !< in MPI while it moves bytes
    real(real64) :: idle = 0 !< in MPI, waiting for other ranks
    real(real64) :: plan = 0 !< plans and memory
    real(real64) :: under_way = 0 !< while messages of this rank were in flight
    real(real64) :: exposed = 0 !< the part of it spent in MPI
    real(real64) :: overlap = 0 !< 1 - exposed / under_way, a share; 1 if there were no messages
  end type trace_totals

contains

  !> Collective. At most one trace per world at a time.
  subroutine create(self, world, stat, errmsg)
    class(dist_trace), intent(inout) :: self
    class(tenfold_world), intent(in) :: world
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call self%destroy()
    code = c_trace_create(world_handle(world), self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine create

  !> Local. The sums of this rank since the trace began, or since the last reset.
  function totals(self, stat, errmsg) result(sums)
    class(dist_trace), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(trace_totals) :: sums
    type(c_trace_totals) :: own
    integer(c_int32_t) :: code
    own%size = c_sizeof(own)
    code = c_trace_get_totals(self%handle, own)
    sums = trace_totals(own%calls, own%compute, own%pack, own%communication, own%idle, own%plan, &
                        own%under_way, own%exposed, own%overlap)
    call report(code, last_message(code), stat, errmsg)
  end function totals

  !> Local. Sets the sums to 0 and keeps the intervals.
  subroutine reset(self, stat, errmsg)
    class(dist_trace), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_trace_reset(self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine reset

  !> Collective. Rank 0 writes one file for all ranks, which Perfetto shows.
  subroutine write_file(self, file, stat, errmsg)
    class(dist_trace), intent(in) :: self
    character(*), intent(in) :: file
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_trace_write(self%handle, c_text(file))
    call report(code, last_message(code), stat, errmsg)
  end subroutine write_file

  !> Local. Ends the trace.
  subroutine destroy(self)
    class(dist_trace), intent(inout) :: self
    call c_trace_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy
end module tenfold_dist_traces
