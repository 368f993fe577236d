! Copies and contractions of distributed tensors whose messages travel in the background.
module tenfold_dist_futures
  use, intrinsic :: iso_c_binding
  use tenfold_dist_contractions
  use tenfold_dist_operation_bindings
  use tenfold_dist_options
  use tenfold_dist_plan_bindings
  use tenfold_dist_reports
  use tenfold_dist_tensors
  implicit none
  private

  public :: dist_copy_async, dist_contract_async, dist_future

  !> An operation under way. Its tensors are neither destroyed nor, but for reading inputs, used until
  !> wait() has returned. A copy refers to the same operation; destroy it once.
  type :: dist_future
    private
    type(c_ptr) :: handle = c_null_ptr
    type(contraction_arguments), pointer :: arguments => null()
  contains
    procedure :: test
    procedure :: wait
    procedure :: report => report_of_future
    procedure :: destroy
  end type dist_future

contains

  !> Collective. Begins y = x, of the same shape and type, in any distributions.
  subroutine dist_copy_async(x, y, future, stat, errmsg)
    type(dist_tensor), intent(in) :: x
    type(dist_tensor), intent(inout) :: y
    type(dist_future), intent(inout) :: future
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call future%destroy()
    code = c_dist_copy_async(tensor_handle(x), tensor_handle(y), future%handle)
    call tell(code, stat, errmsg)
  end subroutine dist_copy_async

  !> Collective. Begins dist_contract_many() of one or two inputs; wait(), which is collective then,
  !> multiplies.
  subroutine dist_contract_async(expression, inputs, d, future, alpha, beta, options, stat, errmsg)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_future), intent(inout) :: future
    class(*), intent(in), optional :: alpha, beta
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: made
    integer(c_int32_t) :: code
    call future%destroy()
    made = c_null_ptr
    allocate (future%arguments)
    call contract_by(c_dist_contract_async, future%arguments, expression, inputs, d, c_loc(made), code, alpha, beta, &
                     options)
    future%handle = made
    call tell(code, stat, errmsg)
  end subroutine dist_contract_async

  !> Handles messages that have come. .true. if wait() has no message to wait for.
  function test(self, stat, errmsg) result(through)
    class(dist_future), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: through
    integer(c_int32_t) :: found, code
    found = 0
    code = c_dist_future_test(self%handle, found)
    through = found == 1
    call tell(code, stat, errmsg)
  end function test

  !> Ends the operation. Collective for contractions only.
  subroutine wait(self, stat, errmsg)
    class(dist_future), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_future_wait(self%handle)
    call tell(code, stat, errmsg)
  end subroutine wait

  !> What a contraction took, once it was waited for: bytes from its beginning, seconds of wait().
  function report_of_future(self, stat, errmsg) result(found)
    class(dist_future), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(dist_report) :: found
    type(c_dist_report) :: own
    integer(c_int32_t) :: code
    own%size = c_sizeof(own)
    code = c_dist_future_report(self%handle, own)
    found = report_of(own)
    call tell(code, stat, errmsg)
  end function report_of_future

  !> What was not waited for completes the messages of its rank; the output of a contraction stays as
  !> it was.
  subroutine destroy(self)
    class(dist_future), intent(inout) :: self
    call c_dist_future_destroy(self%handle)
    self%handle = c_null_ptr
    if (.not. associated(self%arguments)) return
    call self%arguments%destroy()
    deallocate (self%arguments)
  end subroutine destroy
end module tenfold_dist_futures
