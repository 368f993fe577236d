! One call of the C interface: what contract(), transpose_tensor() and plans share.
module tenfold_calls
  use, intrinsic :: iso_c_binding
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_contexts
  use tenfold_controls
  use tenfold_epilogues
  use tenfold_errors
  use tenfold_execution_bindings
  use tenfold_labels
  use tenfold_options
  use tenfold_paths
  use tenfold_plan_bindings
  implicit none
  private

  public :: call_arguments, set_arrays, set_scalars, set_labels, note, contract_now, transpose_now, &
            create_plan, execute_plan, execute_batch_of_plan, create_transpose_plan, &
            execute_transpose_plan, take_outcome, conclude, input_name

  !> The arrays and scalars of a call, and what is wrong with them, if anything.
  type :: call_arguments
    type(described_array), allocatable :: inputs(:)
    type(described_array) :: d
    type(described_array) :: c
    type(label_list), allocatable :: labels(:) !< of the inputs, in place of an expression
    type(label_list) :: labels_d
    logical :: has_c = .false.
    logical :: has_alpha = .false.
    logical :: has_beta = .false.
    complex(c_double_complex) :: alpha = 1
    complex(c_double_complex) :: beta = 0
    type(contract_options) :: options
    type(executor) :: with
    type(contraction_epilogue) :: epilogue !< of an execution
    type(execution_record) :: record !< what it took
    logical :: wants_record = .false.
    integer(c_int32_t) :: code = tenfold_ok
    character(:), allocatable :: message
    character(:), allocatable :: at_fault !< found here, and not by C: the argument's name, or ''
  end type call_arguments

  !> The same as C has it. Its addresses point into the arguments and into itself. Two inputs need no
  !> memory of their own, as calls with small arrays should cost little.
  type :: arguments_for_c
    type(c_tensor) :: few_tensors(2)
    type(c_ptr) :: few_addresses(2)
    type(c_tensor), allocatable :: many_tensors(:)
    type(c_ptr), allocatable :: many_addresses(:)
    type(c_tensor) :: c, d
    type(c_operands) :: operands
    type(c_data) :: data
    type(c_execute_options) :: execute
    type(c_control) :: control
    type(c_record) :: record
    type(c_ptr), allocatable :: of_steps(:)
    type(path_for_c) :: path
    type(lists_for_c) :: lists
    type(c_ptr) :: context = c_null_ptr
  end type arguments_for_c

contains

  !> "a", "b" of at most two inputs, else "input 3".
  function input_name(index, count) result(name)
    integer, intent(in) :: index, count
    character(:), allocatable :: name
    character(12) :: number
    if (count <= 2) then
      name = achar(iachar('a') + index - 1)
    else
      write (number, '(i0)') index
      name = 'input ' // trim(number)
    end if
  end function input_name

  !> Takes the arrays, and notes the first one that cannot be used. The output's name is d, or
  !> another one.
  subroutine set_arrays(call, inputs, d, c, output_name)
    type(call_arguments), intent(inout) :: call
    type(described_array), intent(in) :: inputs(:), d
    type(described_array), intent(in), optional :: c
    character(*), intent(in), optional :: output_name
    integer :: i
    call%inputs = inputs
    call%d = d
    call%has_c = present(c)
    if (call%has_c) call%c = c
    do i = 1, size(inputs)
      if (inputs(i)%type < 0) &
        call note(call, fault_of(inputs(i), input_name(i, size(inputs))), tenfold_type_mismatch, &
                  input_name(i, size(inputs)))
    end do
    if (call%has_c) then
      if (call%c%type < 0) call note(call, fault_of(call%c, 'c'), tenfold_type_mismatch, 'c')
    end if
    if (d%type >= 0) return
    if (present(output_name)) then
      call note(call, fault_of(d, output_name), tenfold_type_mismatch, output_name)
    else
      call note(call, fault_of(d, 'd'), tenfold_type_mismatch, 'd')
    end if
  end subroutine set_arrays

  !> Notes a fault, unless it is none ('') or another one was found before. name: the argument's.
  subroutine note(call, message, code, name)
    type(call_arguments), intent(inout) :: call
    character(*), intent(in) :: message
    integer(c_int32_t), intent(in) :: code
    character(*), intent(in), optional :: name
    if (call%code /= tenfold_ok .or. message == '') return
    call%code = code
    call%message = message
    call%at_fault = ''
    if (present(name)) call%at_fault = name
  end subroutine note

  !> Labels of the inputs and of D, in place of an expression.
  subroutine set_labels(call, inputs, d)
    type(call_arguments), intent(inout) :: call
    type(label_list), intent(in) :: inputs(:)
    integer, intent(in) :: d(:)
    call%labels = inputs
    call%labels_d = label_list(d)
    if (any(has_too_many(inputs)) .or. has_too_many(call%labels_d)) &
      call note(call, 'there are more labels than an array of Fortran has dimensions', &
                tenfold_order_mismatch)
  end subroutine set_labels

  subroutine set_scalars(call, alpha, beta)
    type(call_arguments), intent(inout) :: call
    class(*), intent(in), optional :: alpha, beta
    logical :: is_number
    call%has_alpha = present(alpha)
    if (present(alpha)) then
      call read_scalar(alpha, call%alpha, is_number)
      if (.not. is_number) call note(call, 'alpha is no real, complex or integer number', &
                                     tenfold_type_mismatch, 'alpha')
    end if
    call%has_beta = present(beta)
    if (present(beta)) then
      call read_scalar(beta, call%beta, is_number)
      if (.not. is_number) call note(call, 'beta is no real, complex or integer number', &
                                     tenfold_type_mismatch, 'beta')
    end if
  end subroutine set_scalars

  subroutine prepare(call, own)
    type(call_arguments), intent(inout), target :: call
    type(arguments_for_c), intent(inout), target :: own
    type(c_tensor), pointer :: tensors(:)
    type(c_ptr), pointer :: addresses(:)
    integer :: i, n
    if (call%code /= tenfold_ok) return
    n = size(call%inputs)
    if (n <= size(own%few_tensors)) then
      tensors => own%few_tensors
      addresses => own%few_addresses
    else
      allocate (own%many_tensors(n), own%many_addresses(n))
      tensors => own%many_tensors
      addresses => own%many_addresses
    end if
    do i = 1, n
      tensors(i) = tensor_of(call%inputs(i))
      addresses(i) = call%inputs(i)%data
    end do
    own%operands%input_count = int(n, c_int32_t)
    own%data%input_count = int(n, c_int32_t)
    own%operands%inputs = c_loc(tensors(1))
    own%data%inputs = c_loc(addresses(1))
    own%d = tensor_of(call%d)
    own%operands%d = c_loc(own%d)
    own%data%d = call%d%data
    if (call%has_c) then
      own%c = tensor_of(call%c)
      own%operands%c = c_loc(own%c)
      own%data%c = call%c%data
    end if
    call context_handle(call%options%context, own%context, call%code)
    call prepare_execution(call, own)
  end subroutine prepare

  subroutine prepare_execution(call, own)
    type(call_arguments), intent(inout), target :: call
    type(arguments_for_c), intent(inout), target :: own
    own%execute%size = c_sizeof(own%execute)
    if (call%has_alpha) own%execute%alpha = c_loc(call%alpha)
    if (call%has_beta) own%execute%beta = c_loc(call%beta)
    own%execute%control = control_for_c(call%with%control, own%control)
    if (call%wants_record) then
      own%record%size = c_sizeof(own%record)
      own%execute%record = c_loc(own%record)
    end if
    own%execute%threads = int(call%with%threads, c_int32_t)
    own%execute%workspace_limit = call%with%workspace_limit
    own%execute%context = handle_or_null(call%with%context)
    if (.not. associated(call%with%workspace)) return
    if (size(call%with%workspace) > 0) then
      own%execute%workspace = c_loc(call%with%workspace)
      own%execute%workspace_bytes = size(call%with%workspace, kind=c_size_t) * &
                                    (storage_size(call%with%workspace) / 8)
    end if
  end subroutine prepare_execution

  !> Gives the execution of a plan what the steps of its epilogue are about.
  subroutine prepare_steps(call, own)
    type(call_arguments), intent(inout), target :: call
    type(arguments_for_c), intent(inout), target :: own
    if (.not. has_steps(call%epilogue)) return
    own%of_steps = step_addresses(call%epilogue)
    own%execute%epilogue_data = c_loc(own%of_steps)
    own%execute%epilogue_count = int(size(own%of_steps), c_int32_t)
  end subroutine prepare_steps

  !> Notes the outcome of a function of C.
  subroutine take_outcome(call, code)
    type(call_arguments), intent(inout) :: call
    integer(c_int32_t), intent(in) :: code
    call%code = code
    if (code /= tenfold_ok) call%message = last_message(code)
  end subroutine take_outcome

  !> The same of one that executes or plans.
  subroutine finish(call, own, code)
    type(call_arguments), intent(inout) :: call
    type(arguments_for_c), intent(in) :: own
    integer(c_int32_t), intent(in) :: code
    call take_outcome(call, code)
    call%record = record_of(own%record)
  end subroutine finish

  !> Tells the caller.
  subroutine conclude(call, stat, errmsg)
    type(call_arguments), intent(in) :: call
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (allocated(call%at_fault)) call keep_error(call%code, call%message, call%at_fault)
    if (call%code == tenfold_ok) then
      call report(call%code, '', stat, errmsg)
    else if (allocated(call%message)) then
      call report(call%code, call%message, stat, errmsg)
    else ! found without a message of its own
      call report(call%code, last_message(call%code), stat, errmsg)
    end if
  end subroutine conclude

  !> By an expression, which is not read if the call has labels.
  subroutine contract_now(call, expression)
    type(call_arguments), intent(inout), target :: call
    character(*), intent(in) :: expression
    type(arguments_for_c), target :: own
    type(c_contract_options) :: options
    call%with%control = call%options%control
    call prepare(call, own)
    call make_options(call, own, options)
    if (call%code /= tenfold_ok) return
    if (allocated(call%labels)) then
      call finish(call, own, c_contract_labels(own%context, own%lists%own, own%operands, own%data, &
                                               options, own%execute))
    else
      call finish(call, own, c_contract(own%context, c_text(expression), own%operands, own%data, &
                                        options, own%execute))
    end if
    call destroy_epilogue(options%epilogue)
  end subroutine contract_now

  !> The options with their epilogue, which is to be destroyed, and the path and labels in `own`.
  subroutine make_options(call, own, options)
    type(call_arguments), intent(inout), target :: call
    type(arguments_for_c), intent(inout), target :: own
    type(c_contract_options), intent(out) :: options
    if (call%code /= tenfold_ok) return
    options = options_for_c(call%options)
    if (allocated(call%options%path)) then
      call make_path(call%options%path, own%path)
      options%path = c_loc(own%path%own)
    end if
    if (allocated(call%labels)) call make_lists(call%labels, call%labels_d, own%lists)
    call make_epilogue(call%options%epilogue, options%epilogue, call%code)
  end subroutine make_options

  subroutine transpose_now(call, expression)
    type(call_arguments), intent(inout), target :: call
    character(*), intent(in) :: expression
    type(arguments_for_c), target :: own
    call%with%control = call%options%control
    call prepare(call, own)
    if (call%code /= tenfold_ok) return
    call finish(call, own, c_transpose(own%context, c_text(expression), own%operands, own%data, &
                                       transpose_options_for_c(call), own%execute))
  end subroutine transpose_now

  function transpose_options_for_c(call) result(options)
    type(call_arguments), intent(in) :: call
    type(c_transpose_options) :: options
    options%size = c_sizeof(options)
    options%tuning = int(call%options%tuning, c_int32_t)
    options%threads = int(call%options%threads, c_int32_t)
  end function transpose_options_for_c

  subroutine create_plan(call, expression, plan)
    type(call_arguments), intent(inout), target :: call
    character(*), intent(in) :: expression
    type(c_ptr), intent(out) :: plan
    type(arguments_for_c), target :: own
    type(c_contract_options) :: options
    plan = c_null_ptr
    call prepare(call, own)
    call make_options(call, own, options)
    if (call%code /= tenfold_ok) return
    if (allocated(call%labels)) then
      call finish(call, own, c_create_from_labels(own%context, own%lists%own, own%operands, options, &
                                                  plan))
    else
      call finish(call, own, c_contraction_create(own%context, c_text(expression), own%operands, &
                                                  options, plan))
    end if
    call destroy_epilogue(options%epilogue)
  end subroutine create_plan

  subroutine execute_plan(call, plan)
    type(call_arguments), intent(inout), target :: call
    type(c_ptr), intent(in) :: plan
    type(arguments_for_c), target :: own
    call prepare(call, own)
    if (call%code /= tenfold_ok) return
    call prepare_steps(call, own)
    call finish(call, own, c_contraction_execute(plan, own%data, own%execute))
  end subroutine execute_plan

  subroutine execute_batch_of_plan(call, plan, batch)
    type(call_arguments), intent(inout), target :: call
    type(c_ptr), intent(in) :: plan
    type(c_batch), intent(in) :: batch
    type(arguments_for_c), target :: own
    call prepare_execution(call, own)
    call finish(call, own, c_contraction_execute_batch(plan, batch, own%execute, c_null_ptr))
  end subroutine execute_batch_of_plan

  !> permutation: as in C, from 0. beta is the one that tuning measures with.
  subroutine create_transpose_plan(call, permutation, bypass_caches, plan)
    type(call_arguments), intent(inout), target :: call
    integer(c_int32_t), intent(in) :: permutation(:)
    integer, intent(in) :: bypass_caches
    type(c_ptr), intent(out) :: plan
    type(arguments_for_c), target :: own
    type(c_transpose_options), target :: options
    plan = c_null_ptr
    call prepare(call, own)
    if (call%code /= tenfold_ok) return
    options = transpose_options_for_c(call)
    options%bypass_caches = int(bypass_caches, c_int32_t)
    options%beta = own%execute%beta
    call finish(call, own, c_transpose_create(own%context, permutation, c_loc(own%few_tensors(1)), &
                                              c_loc(own%d), c_loc(options), plan))
  end subroutine create_transpose_plan

  subroutine execute_transpose_plan(call, plan)
    type(call_arguments), intent(inout), target :: call
    type(c_ptr), intent(in) :: plan
    type(arguments_for_c), target :: own
    if (call%code /= tenfold_ok) return
    call prepare_execution(call, own)
    call finish(call, own, c_transpose_execute(plan, call%inputs(1)%data, call%d%data, &
                                               c_loc(own%execute)))
  end subroutine execute_transpose_plan
end module tenfold_calls
