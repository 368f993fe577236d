! Plans of distributed contractions.
module tenfold_dist_plans
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_dist_bindings
  use tenfold_dist_contractions
  use tenfold_dist_distributions
  use tenfold_dist_options
  use tenfold_dist_plan_bindings
  use tenfold_dist_reports
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_plan, dist_plan_step, dist_explain, dist_json, dist_summary, plan_from

  !> How a contraction would run, on the ranks of tensors or on any number of them. Plans are local;
  !> dist_contract makes its own ones, with rank 0's rates, and keeps them. A copy refers to the same
  !> plan; destroy it once.
  type :: dist_plan
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_for_tensors
    procedure, private :: create_for_distributions
    generic :: create => create_for_tensors, create_for_distributions
    procedure :: explain
    procedure :: json
    procedure :: summary
    procedure :: step
    procedure :: distribution
    procedure :: hash
    procedure :: destroy
  end type dist_plan

  !> The inputs in order, then D, as C has them; conjugated: of the inputs, 1 or 0.
  type :: plan_operands
    integer(c_int32_t), allocatable :: types(:)
    type(c_ptr), allocatable :: spreads(:)
    integer(c_int32_t), allocatable :: conjugated(:)
  end type plan_operands

  !> One step: a contraction of two tensors, or a sum of one.
  type :: dist_plan_step
    character(:), allocatable :: expression
    !> An input by its number, from 1; the result of an earlier step by the number of inputs plus the
    !> step's.
    integer, allocatable :: operands(:)
    type(dist_plan_summary) :: summary
  end type dist_plan_step

contains

  !> A plan of C's, which is to be destroyed.
  function plan_from(handle) result(plan)
    type(c_ptr), intent(in) :: handle
    type(dist_plan) :: plan
    plan%handle = handle
  end function plan_from

  !> Plans a contraction of these tensors.
  subroutine create_for_tensors(self, expression, inputs, d, options, stat, errmsg)
    class(dist_plan), intent(inout) :: self
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call self%destroy()
    call make_plan(expression, inputs, d, self%handle, code, options)
    call report(code, last_message(code), stat, errmsg)
  end subroutine create_for_tensors

  !> The same without tensors: types and distributions of the inputs in order, then of D, all over
  !> the same number of ranks. conj: for each input, whether its complex conjugate is read.
  subroutine create_for_distributions(self, expression, types, distributions, options, conj, stat, errmsg)
    class(dist_plan), intent(inout) :: self
    character(*), intent(in) :: expression
    integer(c_int32_t), intent(in) :: types(:)
    type(tensor_distribution), intent(in) :: distributions(:)
    type(dist_options), intent(in), optional :: options
    logical, intent(in), optional :: conj(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(plan_operands) :: own
    integer(c_int32_t) :: code
    integer :: i
    call self%destroy()
    own = room_for(size(distributions))
    do i = 1, size(distributions)
      own%spreads(i) = distribution_handle(distributions(i))
    end do
    if (present(conj)) own%conjugated = merge(1_c_int32_t, 0_c_int32_t, conj)
    code = tenfold_invalid_argument
    if (size(types) /= size(distributions)) then
      call keep_error(code, 'there is another number of types than of distributions', 'types')
    else if (size(own%conjugated) /= max(0, size(distributions) - 1)) then
      call keep_error(code, 'there is another number of elements of conj than of inputs', 'conj')
    else
      own%types = types
      call plan_contraction(expression, own, self%handle, code, options)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine create_for_distributions

  !> A plan of these tensors, which is to be destroyed; null if there is none.
  subroutine make_plan(expression, inputs, d, plan, code, options)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(c_ptr), intent(out) :: plan
    integer(c_int32_t), intent(out) :: code
    type(dist_options), intent(in), optional :: options
    type(plan_operands) :: own
    integer :: i, last
    last = size(inputs) + 1
    own = room_for(last)
    plan = c_null_ptr
    code = tenfold_ok
    do i = 1, size(inputs)
      call look_at(tensor_handle(inputs(i)%tensor), own%types(i), own%spreads(i), code)
      own%conjugated(i) = merge(1_c_int32_t, 0_c_int32_t, inputs(i)%conj)
    end do
    call look_at(tensor_handle(d), own%types(last), own%spreads(last), code)
    if (code == tenfold_ok) call plan_contraction(expression, own, plan, code, options)
    do i = 1, last
      call c_distribution_destroy(own%spreads(i))
    end do
  end subroutine make_plan

  !> So many operands, of which none is conjugated.
  function room_for(count) result(own)
    integer, intent(in) :: count
    type(plan_operands) :: own
    allocate (own%types(count), own%spreads(count), own%conjugated(max(0, count - 1)))
    own%types = -1
    own%spreads = c_null_ptr
    own%conjugated = 0
  end function room_for

  !> The type of a tensor and its distribution, unless `code` tells of a failure before.
  subroutine look_at(tensor, type, distribution, code)
    type(c_ptr), intent(in) :: tensor
    integer(c_int32_t), intent(out) :: type
    type(c_ptr), intent(inout) :: distribution
    integer(c_int32_t), intent(inout) :: code
    type(c_dist_part) :: part
    type = -1
    part%size = c_sizeof(part)
    if (code == tenfold_ok) code = c_dist_local(tensor, part)
    if (code == tenfold_ok) code = c_dist_distribution(tensor, distribution)
    type = part%type
  end subroutine look_at

  subroutine plan_contraction(expression, of, plan, code, options)
    character(*), intent(in) :: expression
    type(plan_operands), intent(in), target :: of
    type(c_ptr), intent(inout) :: plan
    integer(c_int32_t), intent(out) :: code
    type(dist_options), intent(in), optional :: options
    type(c_dist_options) :: own
    call read_options(own, code, options)
    if (size(of%conjugated) > 0) own%conjugated = c_loc(of%conjugated)
    if (code == tenfold_ok) &
      code = c_dist_plan_create(c_text(expression), of%types, of%spreads, size(of%spreads, kind=c_int32_t), own, plan)
  end subroutine plan_contraction

  !> Several lines of text: labels, grid, bytes, bounds, memory. '' unless the plan was created.
  function explain(self) result(text)
    class(dist_plan), intent(in) :: self
    character(:), allocatable :: text
    integer(c_int32_t) :: code
    call get_text(c_dist_plan_explain, self%handle, text, code)
  end function explain

  !> The same as a JSON object. '' also if the library was built without nlohmann_json.
  function json(self) result(text)
    class(dist_plan), intent(in) :: self
    character(:), allocatable :: text
    integer(c_int32_t) :: code
    call get_text(c_dist_plan_json, self%handle, text, code)
  end function json

  subroutine get_text(by, plan, text, code)
    procedure(c_dist_plan_explain) :: by
    type(c_ptr), intent(in) :: plan
    character(:), allocatable, intent(out) :: text
    integer(c_int32_t), intent(out) :: code
    type(c_ptr) :: pointer
    text = ''
    code = by(plan, pointer)
    if (code == tenfold_ok) text = text_of(pointer)
  end subroutine get_text

  !> The same in numbers.
  function summary(self, stat, errmsg) result(found)
    class(dist_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(dist_plan_summary) :: found
    integer(c_int32_t) :: code
    call get_summary(self%handle, found, code)
    call report(code, last_message(code), stat, errmsg)
  end function summary

  subroutine get_summary(plan, found, code)
    type(c_ptr), intent(in) :: plan
    type(dist_plan_summary), intent(out) :: found
    integer(c_int32_t), intent(out) :: code
    type(c_dist_summary) :: own
    own%size = c_sizeof(own)
    code = c_dist_plan_summarise(plan, own)
    if (code == tenfold_ok) found = summary_of(own)
  end subroutine get_summary

  !> One step, from 1 to summary()%steps.
  function step(self, index, stat, errmsg) result(found)
    class(dist_plan), intent(in) :: self
    integer, intent(in) :: index
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(dist_plan_step) :: found
    type(c_dist_summary) :: own
    type(c_ptr) :: text, place
    integer(c_size_t), pointer :: operands(:)
    integer(c_int32_t) :: code, count
    found%expression = ''
    allocate (found%operands(0))
    own%size = c_sizeof(own)
    code = c_dist_plan_step(self%handle, int(index - 1, c_int32_t), own, text)
    if (code == tenfold_ok) then
      found%expression = text_of(text)
      found%summary = summary_of(own)
      code = c_dist_plan_step_operands(self%handle, int(index - 1, c_int32_t), place, count)
    end if
    if (code == tenfold_ok) then
      call c_f_pointer(place, operands, [count])
      found%operands = int(operands) + 1
    end if
    call report(code, last_message(code), stat, errmsg)
  end function step

  !> Where an operand (the inputs in order, from 1, then D) needs no redistribution, as a copy that is
  !> to be destroyed: of the whole, or of a step. More than two inputs have those of steps only.
  function distribution(self, operand, step, stat, errmsg) result(found)
    class(dist_plan), intent(in) :: self
    integer, intent(in) :: operand
    integer, intent(in), optional :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(tensor_distribution) :: found
    type(c_ptr) :: own
    integer(c_int32_t) :: code
    own = c_null_ptr
    if (present(step)) then
      code = c_dist_plan_step_layout(self%handle, int(step - 1, c_int32_t), int(operand - 1, c_int32_t), own)
    else
      code = c_dist_plan_layout(self%handle, int(operand - 1, c_int32_t), own)
    end if
    found = distribution_from(own)
    call report(code, last_message(code), stat, errmsg)
  end function distribution

  !> A number that is equal on all ranks if their plans are.
  function hash(self, stat, errmsg)
    class(dist_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: hash
    integer(c_int32_t) :: code
    hash = 0
    code = c_dist_plan_hash(self%handle, hash)
    call report(code, last_message(code), stat, errmsg)
  end function hash

  subroutine destroy(self)
    class(dist_plan), intent(inout) :: self
    call c_dist_plan_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy

  !> Local. Several lines of text on how a contraction of these tensors would run. '' if it cannot be
  !> planned.
  function dist_explain(expression, inputs, d, options, stat, errmsg) result(text)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    text = text_of_plan(c_dist_plan_explain, expression, inputs, d, options, stat, errmsg)
  end function dist_explain

  !> Local. The same as a JSON object.
  function dist_json(expression, inputs, d, options, stat, errmsg) result(text)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    text = text_of_plan(c_dist_plan_json, expression, inputs, d, options, stat, errmsg)
  end function dist_json

  function text_of_plan(by, expression, inputs, d, options, stat, errmsg) result(text)
    procedure(c_dist_plan_explain) :: by
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: plan
    integer(c_int32_t) :: code
    text = ''
    call make_plan(expression, inputs, d, plan, code, options)
    if (code == tenfold_ok) call get_text(by, plan, text, code)
    call report(code, last_message(code), stat, errmsg)
    call c_dist_plan_destroy(plan)
  end function text_of_plan

  !> Local. The same in numbers. All is 0 if it cannot be planned.
  function dist_summary(expression, inputs, d, options, stat, errmsg) result(summary)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(dist_plan_summary) :: summary
    type(c_ptr) :: plan
    integer(c_int32_t) :: code
    call make_plan(expression, inputs, d, plan, code, options)
    if (code == tenfold_ok) call get_summary(plan, summary, code)
    call report(code, last_message(code), stat, errmsg)
    call c_dist_plan_destroy(plan)
  end function dist_summary
end module tenfold_dist_plans
