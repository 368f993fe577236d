! Contractions of distributed tensors.
module tenfold_dist_contractions
  use, intrinsic :: iso_c_binding
  use tenfold_arrays, only: read_scalar
  use tenfold_bindings, only: c_control
  use tenfold_controls, only: control_for_c
  use tenfold_dist_bindings
  use tenfold_dist_options
  use tenfold_dist_plan_bindings
  use tenfold_dist_reports
  use tenfold_dist_tensors
  use tenfold_epilogues, only: make_epilogue, destroy_epilogue
  use tenfold_errors
  implicit none
  private

  public :: dist_contract, dist_contract_many, dist_input, contract_by, contraction_arguments, tell

  !> One of several inputs: dist_input(t), or dist_input(t, .true.) for its complex conjugate.
  type :: dist_input
    type(dist_tensor) :: tensor
    logical :: conj = .false.
  end type dist_input

  !> What a contraction in C refers to until it has ended.
  type :: contraction_arguments
    type(dist_options) :: chosen
    type(c_dist_options) :: own
    type(c_control) :: control
    complex(c_double_complex) :: factors(2) = 0
  contains
    procedure :: destroy => destroy_arguments
  end type contraction_arguments

contains

  !> Collective. D = alpha op(A) op(B) + beta D, as contract() of the module tenfold. report: what it
  !> took.
  subroutine dist_contract(expression, a, b, d, alpha, beta, conj_a, conj_b, options, report, stat, errmsg)
    character(*), intent(in) :: expression
    type(dist_tensor), intent(in) :: a, b
    type(dist_tensor), intent(in) :: d
    class(*), intent(in), optional :: alpha, beta
    logical, intent(in), optional :: conj_a, conj_b
    type(dist_options), intent(in), optional :: options
    type(dist_report), intent(out), optional :: report
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(dist_input) :: inputs(2)
    inputs(1)%tensor = a
    inputs(2)%tensor = b
    if (present(conj_a)) inputs(1)%conj = conj_a
    if (present(conj_b)) inputs(2)%conj = conj_b
    call dist_contract_many(expression, inputs, d, alpha, beta, options, report, stat, errmsg)
  end subroutine dist_contract

  !> Collective. The same for any number of inputs.
  subroutine dist_contract_many(expression, inputs, d, alpha, beta, options, report, stat, errmsg)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    class(*), intent(in), optional :: alpha, beta
    type(dist_options), intent(in), optional :: options
    type(dist_report), intent(out), optional :: report
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_report), target :: done
    type(contraction_arguments), target :: arguments
    integer(c_int32_t) :: code
    done%size = c_sizeof(done)
    call contract_by(c_dist_contract, arguments, expression, inputs, d, c_loc(done), code, alpha, beta, options)
    call arguments%destroy()
    if (present(report)) report = report_of(done)
    call tell(code, stat, errmsg)
  end subroutine dist_contract_many

  !> Contracts by a function of C, which writes what was done to `done` and refers to the arguments.
  subroutine contract_by(by, arguments, expression, inputs, d, done, code, alpha, beta, options)
    procedure(c_dist_contract) :: by
    type(contraction_arguments), intent(inout), target :: arguments
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(c_ptr), intent(in) :: done
    integer(c_int32_t), intent(out) :: code
    class(*), intent(in), optional :: alpha, beta
    type(dist_options), intent(in), optional :: options
    character(kind=c_char), allocatable, target :: text(:)
    character(:), allocatable :: fault
    if (present(options)) arguments%chosen = options
    call read_options(arguments%own, code, options)
    call read_factors(arguments%own, arguments%factors, fault, alpha, beta)
    arguments%own%control = control_for_c(arguments%chosen%control, arguments%control)
    if (code == tenfold_ok) call make_epilogue(arguments%chosen%epilogue, arguments%own%epilogue, code)
    if (fault /= '') then
      code = refuse(d, tenfold_type_mismatch, fault)
    else if (code /= tenfold_ok) then
      code = refuse(d, code, last_message(code))
    else
      text = c_text(expression)
      code = by(c_loc(text), inputs_for_c(inputs), size(inputs, kind=c_int32_t), tensor_handle(d), &
                c_loc(arguments%own), done)
    end if
  end subroutine contract_by

  subroutine destroy_arguments(self)
    class(contraction_arguments), intent(inout) :: self
    call destroy_epilogue(self%own%epilogue)
  end subroutine destroy_arguments

  !> report() of the module tenfold_errors, where that is an argument's name.
  subroutine tell(code, stat, errmsg)
    integer(c_int32_t), intent(in) :: code
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call report(code, last_message(code), stat, errmsg)
  end subroutine tell

  function inputs_for_c(inputs) result(own)
    type(dist_input), intent(in) :: inputs(:)
    type(c_dist_input) :: own(size(inputs))
    integer :: i
    do i = 1, size(inputs)
      own(i)%tensor = tensor_handle(inputs(i)%tensor)
      own(i)%conjugated = merge(1_c_int32_t, 0_c_int32_t, inputs(i)%conj)
    end do
  end function inputs_for_c

  !> Sets alpha and beta in `own`, which then refers to `factors`; `fault` is '' if they are numbers.
  subroutine read_factors(own, factors, fault, alpha, beta)
    type(c_dist_options), intent(inout) :: own
    complex(c_double_complex), intent(out), target :: factors(2)
    character(:), allocatable, intent(out) :: fault
    class(*), intent(in), optional :: alpha, beta
    logical :: is_number
    fault = ''
    factors = 0
    if (present(alpha)) then
      call read_scalar(alpha, factors(1), is_number)
      if (.not. is_number) fault = 'alpha is no real, complex or integer number'
      own%alpha = c_loc(factors(1))
    end if
    if (present(beta)) then
      call read_scalar(beta, factors(2), is_number)
      if (.not. is_number) fault = 'beta is no real, complex or integer number'
      own%beta = c_loc(factors(2))
    end if
  end subroutine read_factors
end module tenfold_dist_contractions
