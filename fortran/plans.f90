! Plans of contractions.
module tenfold_plans
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_calls
  use tenfold_contexts
  use tenfold_errors
  implicit none
  private

  public :: contraction_plan

  !> A contraction that is decided once and executed many times, on arrays that lie as those did
  !> with which it was created. A copy refers to the same plan; destroy it once. Any number of
  !> threads may execute one.
  type :: contraction_plan
    private
    type(c_ptr) :: handle = c_null_ptr
    type(described_array), allocatable :: inputs(:)
    type(described_array) :: d, c
    logical :: has_c = .false.
  contains
    procedure :: create
    procedure :: create_many
    procedure :: execute
    procedure :: execute_many
    procedure :: explain
    procedure :: json
    procedure :: workspace_bytes
    procedure :: destroy
  end type contraction_plan

contains

  !> Plans an expression of two inputs, with "=" as its operation. The elements are not used.
  subroutine create(self, expression, a, b, d, c, conj_a, conj_b, options, stat, errmsg)
    class(contraction_plan), intent(inout) :: self
    character(*), intent(in) :: expression
    type(*), dimension(..), intent(in) :: a, b, d
    type(*), dimension(..), intent(in), optional :: c
    logical, intent(in), optional :: conj_a, conj_b
    type(contract_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(options)) call%options = options
    if (present(c)) then
      call set_arrays(call, [described(a, conj_a), described(b, conj_b)], described(d), described(c))
    else
      call set_arrays(call, [described(a, conj_a), described(b, conj_b)], described(d))
    end if
    call finish_creation(self, call, expression, stat, errmsg)
  end subroutine create

  !> The same of any number of inputs.
  subroutine create_many(self, expression, inputs, d, c, options, stat, errmsg)
    class(contraction_plan), intent(inout) :: self
    character(*), intent(in) :: expression
    type(tensor_view), intent(in) :: inputs(:)
    type(*), dimension(..), intent(in) :: d
    type(*), dimension(..), intent(in), optional :: c
    type(contract_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(options)) call%options = options
    if (present(c)) then
      call set_arrays(call, inputs%array, described(d), described(c))
    else
      call set_arrays(call, inputs%array, described(d))
    end if
    call finish_creation(self, call, expression, stat, errmsg)
  end subroutine create_many

  subroutine finish_creation(self, call, expression, stat, errmsg)
    class(contraction_plan), intent(inout) :: self
    type(call_arguments), intent(inout) :: call
    character(*), intent(in) :: expression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%destroy()
    call create_plan(call, expression, self%handle)
    self%inputs = call%inputs
    self%d = call%d
    self%has_c = call%has_c
    self%c = call%c
    call conclude(call, stat, errmsg)
  end subroutine finish_creation

  !> D = alpha op(A) op(B) + beta C, where C is D unless the plan was created with c.
  subroutine execute(self, a, b, d, c, alpha, beta, stat, errmsg)
    class(contraction_plan), intent(in) :: self
    type(*), dimension(..), intent(in) :: a, b
    type(*), dimension(..), intent(inout) :: d
    type(*), dimension(..), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(c)) then
      call set_arrays(call, [described(a), described(b)], described(d), described(c))
    else
      call set_arrays(call, [described(a), described(b)], described(d))
    end if
    call set_scalars(call, alpha, beta)
    call finish_execution(self, call, stat, errmsg)
  end subroutine execute

  subroutine execute_many(self, inputs, d, c, alpha, beta, stat, errmsg)
    class(contraction_plan), intent(in) :: self
    type(tensor_view), intent(in) :: inputs(:)
    type(*), dimension(..), intent(inout) :: d
    type(*), dimension(..), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(c)) then
      call set_arrays(call, inputs%array, described(d), described(c))
    else
      call set_arrays(call, inputs%array, described(d))
    end if
    call set_scalars(call, alpha, beta)
    call finish_execution(self, call, stat, errmsg)
  end subroutine execute_many

  subroutine finish_execution(self, call, stat, errmsg)
    class(contraction_plan), intent(in) :: self
    type(call_arguments), intent(inout) :: call
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: message
    if (call%code == tenfold_ok) then
      message = difference(self, call)
      if (message /= '') then
        call report(tenfold_invalid_argument, message, stat, errmsg)
        return
      end if
      call execute_plan(call, self%handle)
    end if
    call conclude(call, stat, errmsg)
  end subroutine finish_execution

  !> How the arrays of an execution differ from those that the plan was made for; '' if they do not.
  function difference(self, call) result(message)
    class(contraction_plan), intent(in) :: self
    type(call_arguments), intent(in) :: call
    character(:), allocatable :: message
    character(*), parameter :: lies = ' does not lie as the array with which the plan was created'
    integer :: i
    message = ''
    if (.not. c_associated(self%handle)) then
      message = 'the plan was not created'
    else if (size(call%inputs) /= size(self%inputs)) then
      message = 'the plan was created with another number of inputs'
    else if (call%has_c .neqv. self%has_c) then
      message = 'c is passed ' // trim(merge('here, but was not', 'at creation, not ', call%has_c)) // &
                trim(merge(' at creation', ' here       ', call%has_c))
    else if (.not. lie_alike(self%d, call%d)) then
      message = 'd' // lies
    else if (self%has_c) then
      if (.not. lie_alike(self%c, call%c)) message = 'c' // lies
    end if
    if (message /= '') return
    do i = 1, size(call%inputs)
      if (.not. lie_alike(self%inputs(i), call%inputs(i))) then
        message = input_name(i, size(call%inputs)) // lies
        return
      end if
    end do
  end function difference

  !> Several lines of text: algorithm, sizes, predicted seconds, what was rejected. '' unless the
  !> plan was created.
  function explain(self) result(text)
    class(contraction_plan), intent(in) :: self
    character(:), allocatable :: text
    type(c_ptr) :: pointer
    text = ''
    if (c_contraction_explain(self%handle, pointer) == tenfold_ok) text = text_of(pointer)
  end function explain

  !> The same as a JSON object. '' also if the library was built without nlohmann_json.
  function json(self) result(text)
    class(contraction_plan), intent(in) :: self
    character(:), allocatable :: text
    type(c_ptr) :: pointer
    text = ''
    if (c_contraction_json(self%handle, pointer) == tenfold_ok) text = text_of(pointer)
  end function json

  !> Bytes that one execution needs beside the arrays; -1 unless the plan was created.
  function workspace_bytes(self) result(bytes)
    class(contraction_plan), intent(in) :: self
    integer(int64) :: bytes
    if (c_workspace_size(self%handle, bytes) /= tenfold_ok) bytes = -1
  end function workspace_bytes

  subroutine destroy(self)
    class(contraction_plan), intent(inout) :: self
    call c_contraction_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy
end module tenfold_plans
