! Progress of calls, their early end, and what an execution took.
module tenfold_controls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_bindings
  use tenfold_execution_bindings
  use tenfold_errors
  implicit none
  private

  public :: stop_token, execution_control, execution_record, progress_report, control_for_c, record_of

  !> A request to stop, which any thread makes and any number of calls obey. A copy refers to the
  !> same request; destroy it once, when no call uses it any longer.
  type :: stop_token
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_stop
    procedure :: request => request_stop
    procedure :: destroy => destroy_stop
  end type stop_token

  abstract interface
    !> Is told the share of the work that is done, from 0 to 1, by the thread that made the call.
    !> Setting `stop`, which is .false., ends the call with tenfold_stopped.
    subroutine progress_report(done, stop)
      import :: real64
      real(real64), intent(in) :: done
      logical, intent(inout) :: stop
    end subroutine progress_report
  end interface

  !> Controls a call that may take long. After a stop the elements of the output are unspecified.
  type :: execution_control
    procedure(progress_report), pointer, nopass :: progress => null() !< a procedure of a module
    type(stop_token) :: stop !< counts if it was created
    integer(int64) :: interval_milliseconds = 0 !< progress comes at most so often; 0: every 100 ms
  end type execution_control

  !> What one execution took. All is 0 if it failed.
  type :: execution_record
    real(real64) :: seconds = 0 !< elapsed, checks included
    real(real64) :: flops = 0
    real(real64) :: bytes = 0 !< of the arrays that were read, and of D; each once
    integer(int64) :: workspace_bytes = 0
    integer :: threads = 0 !< the most that worked at a time
    integer :: algorithm = 0 !< tenfold_algorithm_...
  end type execution_record

contains

  subroutine create_stop(self, stat, errmsg)
    class(stop_token), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call self%destroy()
    code = c_stop_create(self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine create_stop

  !> Calls with this token end with tenfold_stopped, those under way within milliseconds. There is
  !> no way back.
  subroutine request_stop(self, stat, errmsg)
    class(stop_token), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_stop_request(self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine request_stop

  subroutine destroy_stop(self)
    class(stop_token), intent(inout) :: self
    call c_stop_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy_stop

  !> The control as C has it, and its address; null if it controls nothing. Refers to both arguments.
  function control_for_c(control, own) result(address)
    type(execution_control), intent(in), target :: control
    type(c_control), intent(inout), target :: own
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. associated(control%progress) .and. .not. c_associated(control%stop%handle)) return
    own%size = c_sizeof(own)
    own%stop = control%stop%handle
    own%interval_milliseconds = control%interval_milliseconds
    if (associated(control%progress)) then
      own%progress = c_funloc(pass_progress)
      own%user = c_loc(control)
    end if
    address = c_loc(own)
  end function control_for_c

  function pass_progress(done, user) bind(C) result(code)
    real(c_double), value :: done
    type(c_ptr), value :: user
    integer(c_int32_t) :: code
    type(execution_control), pointer :: control
    logical :: stop
    call c_f_pointer(user, control)
    stop = .false.
    call control%progress(done, stop)
    code = merge(1_c_int32_t, 0_c_int32_t, stop)
  end function pass_progress

  pure function record_of(own) result(record)
    type(c_record), intent(in) :: own
    type(execution_record) :: record
    record = execution_record(own%seconds, own%flops, own%bytes, own%workspace_bytes, &
                              int(own%threads), int(own%algorithm))
  end function record_of
end module tenfold_controls
