! One call of the C interface: what contract(), transpose_tensor() and plans share.
module tenfold_calls
  use, intrinsic :: iso_c_binding
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_contexts
  use tenfold_errors
  implicit none
  private

  public :: call_arguments, set_arrays, set_scalars, contract_now, transpose_now, create_plan, &
            execute_plan, conclude, input_name

  !> The arrays and scalars of a call, and what is wrong with them, if anything.
  type :: call_arguments
    type(described_array), allocatable :: inputs(:)
    type(described_array) :: d
    type(described_array) :: c
    logical :: has_c = .false.
    logical :: has_alpha = .false.
    logical :: has_beta = .false.
    complex(c_double_complex) :: alpha = 1
    complex(c_double_complex) :: beta = 0
    type(contract_options) :: options
    integer(c_int32_t) :: code = tenfold_ok
    character(:), allocatable :: message
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

  !> Takes the arrays, and notes the first one that cannot be used.
  subroutine set_arrays(call, inputs, d, c)
    type(call_arguments), intent(inout) :: call
    type(described_array), intent(in) :: inputs(:), d
    type(described_array), intent(in), optional :: c
    integer :: i
    call%inputs = inputs
    call%d = d
    call%has_c = present(c)
    if (call%has_c) call%c = c
    do i = 1, size(inputs)
      if (inputs(i)%type < 0) &
        call note(call, fault_of(inputs(i), input_name(i, size(inputs))), tenfold_type_mismatch)
    end do
    if (call%has_c) then
      if (call%c%type < 0) call note(call, fault_of(call%c, 'c'), tenfold_type_mismatch)
    end if
    if (d%type < 0) call note(call, fault_of(d, 'd'), tenfold_type_mismatch)
  end subroutine set_arrays

  !> Notes a fault, unless another one was found before.
  subroutine note(call, message, code)
    type(call_arguments), intent(inout) :: call
    character(*), intent(in) :: message
    integer(c_int32_t), intent(in) :: code
    if (call%code /= tenfold_ok) return
    call%code = code
    call%message = message
  end subroutine note

  subroutine set_scalars(call, alpha, beta)
    type(call_arguments), intent(inout) :: call
    class(*), intent(in), optional :: alpha, beta
    logical :: is_number
    call%has_alpha = present(alpha)
    if (present(alpha)) then
      call read_scalar(alpha, call%alpha, is_number)
      if (.not. is_number) call note(call, 'alpha is no real, complex or integer number', &
                                     tenfold_type_mismatch)
    end if
    call%has_beta = present(beta)
    if (present(beta)) then
      call read_scalar(beta, call%beta, is_number)
      if (.not. is_number) call note(call, 'beta is no real, complex or integer number', &
                                     tenfold_type_mismatch)
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
    own%execute%size = c_sizeof(own%execute)
    if (call%has_alpha) own%execute%alpha = c_loc(call%alpha)
    if (call%has_beta) own%execute%beta = c_loc(call%beta)
    call context_handle(call%options%context, own%context, call%code)
  end subroutine prepare

  !> Notes the outcome of a function of C.
  subroutine finish(call, code)
    type(call_arguments), intent(inout) :: call
    integer(c_int32_t), intent(in) :: code
    call%code = code
    if (code /= tenfold_ok) call%message = last_message(code)
  end subroutine finish

  !> Tells the caller.
  subroutine conclude(call, stat, errmsg)
    type(call_arguments), intent(in) :: call
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (call%code == tenfold_ok) then
      call report(call%code, '', stat, errmsg)
    else if (allocated(call%message)) then
      call report(call%code, call%message, stat, errmsg)
    else ! found without a message of its own
      call report(call%code, last_message(call%code), stat, errmsg)
    end if
  end subroutine conclude

  subroutine contract_now(call, expression)
    type(call_arguments), intent(inout), target :: call
    character(*), intent(in) :: expression
    type(arguments_for_c), target :: own
    call prepare(call, own)
    if (call%code /= tenfold_ok) return
    call finish(call, c_contract(own%context, c_text(expression), own%operands, own%data, &
                                 options_for_c(call%options), own%execute))
  end subroutine contract_now

  subroutine transpose_now(call, expression)
    type(call_arguments), intent(inout), target :: call
    character(*), intent(in) :: expression
    type(arguments_for_c), target :: own
    type(c_transpose_options) :: options
    call prepare(call, own)
    if (call%code /= tenfold_ok) return
    options%size = c_sizeof(options)
    options%tuning = int(call%options%tuning, c_int32_t)
    options%threads = int(call%options%threads, c_int32_t)
    call finish(call, c_transpose(own%context, c_text(expression), own%operands, own%data, &
                                  options, own%execute))
  end subroutine transpose_now

  subroutine create_plan(call, expression, plan)
    type(call_arguments), intent(inout), target :: call
    character(*), intent(in) :: expression
    type(c_ptr), intent(out) :: plan
    type(arguments_for_c), target :: own
    plan = c_null_ptr
    call prepare(call, own)
    if (call%code /= tenfold_ok) return
    call finish(call, c_contraction_create(own%context, c_text(expression), own%operands, &
                                           options_for_c(call%options), plan))
  end subroutine create_plan

  subroutine execute_plan(call, plan)
    type(call_arguments), intent(inout), target :: call
    type(c_ptr), intent(in) :: plan
    type(arguments_for_c), target :: own
    call prepare(call, own)
    if (call%code /= tenfold_ok) return
    call finish(call, c_contraction_execute(plan, own%data, own%execute))
  end subroutine execute_plan
end module tenfold_calls
