! Plans of contractions.
module tenfold_plans
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_arrays
  use tenfold_batches
  use tenfold_bindings
  use tenfold_calls
  use tenfold_controls
  use tenfold_epilogues
  use tenfold_errors
  use tenfold_labels
  use tenfold_options
  use tenfold_paths
  use tenfold_summaries
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
    type(contraction_epilogue) :: epilogue
  contains
    procedure :: create
    procedure :: create_many
    procedure :: create_labels
    procedure :: create_labels_many
    procedure :: execute
    procedure :: execute_many
    procedure :: execute_batch
    procedure :: execute_batch_many
    procedure :: explain
    procedure :: json
    procedure :: summary
    procedure :: step
    procedure :: path
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

  !> Plans what lists of labels say, as contract_labels().
  subroutine create_labels(self, a, labels_a, b, labels_b, d, labels_d, c, conj_a, conj_b, options, stat, &
                           errmsg)
    class(contraction_plan), intent(inout) :: self
    type(*), dimension(..), intent(in) :: a, b, d
    integer, intent(in) :: labels_a(:), labels_b(:), labels_d(:)
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
    call set_labels(call, [label_list(labels_a), label_list(labels_b)], labels_d)
    call finish_creation(self, call, '', stat, errmsg)
  end subroutine create_labels

  !> The same of any number of inputs, whose labels have the same order.
  subroutine create_labels_many(self, inputs, labels, d, labels_d, c, options, stat, errmsg)
    class(contraction_plan), intent(inout) :: self
    type(tensor_view), intent(in) :: inputs(:)
    type(label_list), intent(in) :: labels(:)
    type(*), dimension(..), intent(in) :: d
    integer, intent(in) :: labels_d(:)
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
    call set_labels(call, labels, labels_d)
    call finish_creation(self, call, '', stat, errmsg)
  end subroutine create_labels_many

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
    self%epilogue = call%options%epilogue
    call conclude(call, stat, errmsg)
  end subroutine finish_creation

  !> D = alpha op(A) op(B) + beta C, where C is D unless the plan was created with c. epilogue: the
  !> steps with which the plan was created, on the same arrays or on others. record: what it took.
  subroutine execute(self, a, b, d, c, alpha, beta, epilogue, with, record, stat, errmsg)
    class(contraction_plan), intent(in) :: self
    type(*), dimension(..), intent(in) :: a, b
    type(*), dimension(..), intent(inout) :: d
    type(*), dimension(..), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    type(contraction_epilogue), intent(in), optional :: epilogue
    type(executor), intent(in), optional :: with
    type(execution_record), intent(out), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(c)) then
      call set_arrays(call, [described(a), described(b)], described(d), described(c))
    else
      call set_arrays(call, [described(a), described(b)], described(d))
    end if
    call set_scalars(call, alpha, beta)
    call set_execution(call, epilogue, with, present(record))
    call finish_execution(self, call, record, stat, errmsg)
  end subroutine execute

  subroutine execute_many(self, inputs, d, c, alpha, beta, epilogue, with, record, stat, errmsg)
    class(contraction_plan), intent(in) :: self
    type(tensor_view), intent(in) :: inputs(:)
    type(*), dimension(..), intent(inout) :: d
    type(*), dimension(..), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    type(contraction_epilogue), intent(in), optional :: epilogue
    type(executor), intent(in), optional :: with
    type(execution_record), intent(out), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(c)) then
      call set_arrays(call, inputs%array, described(d), described(c))
    else
      call set_arrays(call, inputs%array, described(d))
    end if
    call set_scalars(call, alpha, beta)
    call set_execution(call, epilogue, with, present(record))
    call finish_execution(self, call, record, stat, errmsg)
  end subroutine execute_many

  subroutine set_execution(call, epilogue, with, wants_record)
    type(call_arguments), intent(inout) :: call
    type(contraction_epilogue), intent(in), optional :: epilogue
    type(executor), intent(in), optional :: with
    logical, intent(in) :: wants_record
    if (present(epilogue)) call%epilogue = epilogue
    if (present(with)) call%with = with
    call%wants_record = wants_record
  end subroutine set_execution

  subroutine finish_execution(self, call, record, stat, errmsg)
    class(contraction_plan), intent(in) :: self
    type(call_arguments), intent(inout) :: call
    type(execution_record), intent(out), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call check_call(self, call, size(call%inputs))
    call check_arrays(self, call)
    call execute_plan(call, self%handle)
    if (present(record)) record = call%record
    call conclude(call, stat, errmsg)
  end subroutine finish_execution

  !> Executes the plan for each contraction of a batch, small ones one per thread:
  !>     call plan%execute_batch(batch_of_slices(a), batch_of_one(b), batch_of_slices(d))
  !> The plan has no epilogue. No D may share elements with another D or an input of any contraction.
  subroutine execute_batch(self, a, b, d, c, alpha, beta, with, record, stat, errmsg)
    class(contraction_plan), intent(in) :: self
    type(tensor_batch), intent(in) :: a, b, d
    type(tensor_batch), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    type(executor), intent(in), optional :: with
    type(execution_record), intent(out), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(tensor_batch) :: inputs(2)
    inputs(1) = a
    inputs(2) = b
    call self%execute_batch_many(inputs, d, c, alpha, beta, with, record, stat, errmsg)
  end subroutine execute_batch

  !> The same of any number of inputs. gfortran 12 never frees the list of addresses of a
  !> batch_of_views() that stands in an array constructor; assign it to an element of an array.
  subroutine execute_batch_many(self, inputs, d, c, alpha, beta, with, record, stat, errmsg)
    class(contraction_plan), intent(in) :: self
    type(tensor_batch), intent(in), target :: inputs(:)
    type(tensor_batch), intent(in), target :: d
    type(tensor_batch), intent(in), optional, target :: c
    class(*), intent(in), optional :: alpha, beta
    type(executor), intent(in), optional :: with
    type(execution_record), intent(out), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    type(c_batch_tensor), target :: tensors(size(inputs))
    type(c_batch) :: batch
    integer :: i
    call%has_c = present(c)
    call set_scalars(call, alpha, beta)
    call set_execution(call, with=with, wants_record=present(record))
    call check_call(self, call, size(inputs))
    if (call%code == tenfold_ok) then
      if (d%count < 0) call note(call, 'd is one array for all contractions', tenfold_invalid_argument)
      do i = 1, size(inputs)
        tensors(i) = batch_for_c(inputs(i))
        call note(call, fault_of_batch(inputs(i), self%inputs(i), input_name(i, size(inputs)), d%count), &
                  tenfold_invalid_argument)
      end do
      call note(call, fault_of_batch(d, self%d, 'd', d%count), tenfold_invalid_argument)
      if (present(c)) then
        call note(call, fault_of_batch(c, self%c, 'c', d%count), tenfold_invalid_argument)
        batch%c = batch_for_c(c)
      end if
    end if
    if (call%code == tenfold_ok) then
      batch%size = c_sizeof(batch)
      batch%count = d%count
      batch%input_count = size(inputs, kind=c_int32_t)
      batch%inputs = c_loc(tensors)
      batch%d = batch_for_c(d)
      call execute_batch_of_plan(call, self%handle, batch)
    end if
    if (present(record)) record = call%record
    call conclude(call, stat, errmsg)
  end subroutine execute_batch_many

  !> Notes how an execution differs from what the plan was made for, but for its arrays.
  subroutine check_call(self, call, inputs)
    class(contraction_plan), intent(in) :: self
    type(call_arguments), intent(inout) :: call
    integer, intent(in) :: inputs
    if (.not. c_associated(self%handle)) then
      call note(call, 'the plan was not created', tenfold_invalid_argument)
    else if (inputs /= size(self%inputs)) then
      call note(call, 'the plan was created with another number of inputs', tenfold_invalid_argument)
    else if (call%has_c .and. .not. self%has_c) then
      call note(call, 'c is passed here, but was not at creation', tenfold_invalid_argument)
    else if (self%has_c .and. .not. call%has_c) then
      call note(call, 'c is passed at creation, not here', tenfold_invalid_argument)
    else if (.not. steps_agree(call%epilogue, self%epilogue)) then
      call note(call, 'the plan was created with other steps in its epilogue', tenfold_invalid_argument)
    end if
  end subroutine check_call

  !> The same for its arrays.
  subroutine check_arrays(self, call)
    class(contraction_plan), intent(in) :: self
    type(call_arguments), intent(inout) :: call
    integer :: i
    if (call%code /= tenfold_ok) return
    if (.not. lie_alike(self%d, call%d)) call note_array(call, 'd')
    if (self%has_c) then
      if (.not. lie_alike(self%c, call%c)) call note_array(call, 'c')
    end if
    do i = 1, size(call%inputs)
      if (.not. lie_alike(self%inputs(i), call%inputs(i))) &
        call note_array(call, input_name(i, size(call%inputs)))
    end do
  end subroutine check_arrays

  subroutine note_array(call, name)
    type(call_arguments), intent(inout) :: call
    character(*), intent(in) :: name
    call note(call, name // ' does not lie as the array with which the plan was created', &
              tenfold_invalid_argument)
  end subroutine note_array

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

  !> The plan in numbers: algorithm, sizes, predicted seconds, workspace.
  function summary(self, stat, errmsg) result(found)
    class(contraction_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(plan_summary) :: found
    integer(c_int32_t) :: code
    call get_summary(self%handle, found, code)
    call report(code, last_message(code), stat, errmsg)
  end function summary

  !> One step of a contraction of more than two inputs, from 1 to summary()%steps.
  function step(self, index, stat, errmsg) result(found)
    class(contraction_plan), intent(in) :: self
    integer, intent(in) :: index
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(plan_step) :: found
    integer(c_int32_t) :: code
    call get_step(self%handle, index, found, code)
    call report(code, last_message(code), stat, errmsg)
  end function step

  !> The order of the contraction, which contract_options%path of another plan takes. No steps unless
  !> the plan was created.
  function path(self)
    class(contraction_plan), intent(in) :: self
    integer, allocatable :: path(:, :)
    path = path_of_plan(self%handle)
  end function path

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
