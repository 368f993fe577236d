! Plans of transpositions.
module tenfold_transposes
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_calls
  use tenfold_contexts
  use tenfold_controls
  use tenfold_errors
  use tenfold_execution_bindings
  use tenfold_options
  implicit none
  private

  public :: transpose_plan

  !> A transposition that is decided once and executed many times, on arrays that lie as those did
  !> with which it was created. A copy refers to the same plan; destroy it once. Any number of
  !> threads may execute one.
  type :: transpose_plan
    private
    type(c_ptr) :: handle = c_null_ptr
    type(described_array) :: a, b
  contains
    procedure :: create
    procedure :: execute
    procedure :: explain
    procedure :: predicted_seconds
    procedure :: traffic
    procedure :: destroy
  end type transpose_plan

contains

  !> Dimension k of b is dimension permutation(k) of a. The elements are not used. The two may
  !> differ in precision. Of options, tuning, threads and context count. beta is the one that tuning
  !> measures with; bypass_caches: whether b is written past the caches.
  subroutine create(self, permutation, a, b, conj_a, options, beta, bypass_caches, stat, errmsg)
    class(transpose_plan), intent(inout) :: self
    integer, intent(in) :: permutation(:)
    type(*), dimension(..), intent(in) :: a, b
    logical, intent(in), optional :: conj_a
    type(contract_options), intent(in), optional :: options
    class(*), intent(in), optional :: beta
    logical, intent(in), optional :: bypass_caches
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    integer :: bypasses
    bypasses = tenfold_default
    if (present(bypass_caches)) bypasses = merge(tenfold_yes, tenfold_no, bypass_caches)
    if (present(options)) call%options = options
    call set_arrays(call, [described(a, conj_a)], described(b), output_name='b')
    call set_scalars(call, beta=beta)
    if (size(permutation) /= call%d%order) &
      call note(call, 'permutation has another number of entries than b has dimensions', &
                tenfold_order_mismatch)
    call self%destroy()
    call create_transpose_plan(call, int(permutation - 1, c_int32_t), bypasses, self%handle)
    self%a = call%inputs(1)
    self%b = call%d
    call conclude(call, stat, errmsg)
  end subroutine create

  !> B = alpha op(permuted A) + beta B.
  subroutine execute(self, a, b, alpha, beta, control, stat, errmsg)
    class(transpose_plan), intent(in) :: self
    type(*), dimension(..), intent(in) :: a
    type(*), dimension(..), intent(inout) :: b
    class(*), intent(in), optional :: alpha, beta
    type(execution_control), intent(in), optional :: control
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), parameter :: lies = ' does not lie as the array with which the plan was created'
    type(call_arguments) :: call
    if (present(control)) call%with%control = control
    call set_arrays(call, [described(a)], described(b), output_name='b')
    call set_scalars(call, alpha, beta)
    if (.not. c_associated(self%handle)) then
      call note(call, 'the plan was not created', tenfold_invalid_argument)
    else if (.not. lie_alike(self%a, call%inputs(1))) then
      call note(call, 'a' // lies, tenfold_invalid_argument)
    else if (.not. lie_alike(self%b, call%d)) then
      call note(call, 'b' // lies, tenfold_invalid_argument)
    end if
    call execute_transpose_plan(call, self%handle)
    call conclude(call, stat, errmsg)
  end subroutine execute

  !> Fused dimensions, loop order, blocking, kernel, threads. '' unless the plan was created.
  function explain(self) result(text)
    class(transpose_plan), intent(in) :: self
    character(:), allocatable :: text
    type(c_ptr) :: pointer
    text = ''
    if (c_transpose_explain(self%handle, pointer) == tenfold_ok) text = text_of(pointer)
  end function explain

  !> -1 unless the plan was created.
  function predicted_seconds(self) result(seconds)
    class(transpose_plan), intent(in) :: self
    real(real64) :: seconds
    if (c_transpose_seconds(self%handle, seconds) /= tenfold_ok) seconds = -1
  end function predicted_seconds

  !> Bytes of A and B, those of B twice if it is also read. -1 unless the plan was created.
  function traffic(self, reads_b) result(bytes)
    class(transpose_plan), intent(in) :: self
    logical, intent(in) :: reads_b
    integer(int64) :: bytes
    if (c_transpose_traffic(self%handle, merge(1_c_int32_t, 0_c_int32_t, reads_b), bytes) /= tenfold_ok) &
      bytes = -1
  end function traffic

  subroutine destroy(self)
    class(transpose_plan), intent(inout) :: self
    call c_transpose_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy
end module tenfold_transposes
