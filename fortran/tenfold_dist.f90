! Tenfold for Fortran: tensors on many ranks. docs/fortran.md introduces it.
!
! All ranks call every procedure that is marked "collective", in the same order. What is wrong on one
! rank fails the call on all of them, with the same stat= and errmsg=; without stat= all ranks end by
! error stop. Positions of elements begin at 1, ranks at 0.
module tenfold_dist
  use, intrinsic :: iso_c_binding
  use tenfold_arrays, only: read_scalar
  use tenfold_bindings, only: c_control
  use tenfold_controls, only: control_for_c
  use tenfold_dist_bindings
  use tenfold_dist_blocks
  use tenfold_dist_fillings, only: element_function
  use tenfold_dist_layouts
  use tenfold_dist_operations
  use tenfold_dist_options
  use tenfold_dist_plan_bindings
  use tenfold_dist_reports
  use tenfold_dist_tensors
  use tenfold_dist_traces
  use tenfold_dist_worlds
  use tenfold_epilogues, only: make_epilogue, destroy_epilogue
  use tenfold_errors
  implicit none
  private

  public :: tenfold_world, dist_tensor, element_function, dot
  public :: dist_local, dist_local_to_write
  public :: dist_copy, dist_axpy, dist_scale, dist_fill_uniform, dist_fill_normal
  public :: dist_sum, dist_item, dist_norm1, dist_norm_max, dist_minimum, dist_maximum
  public :: dist_contract, dist_contract_many, dist_input, dist_options, dist_report
  public :: dist_explain, dist_json, dist_summary, dist_plan_summary
  public :: planned_layouts, layouts_summary, dist_trace, trace_totals
  public :: dist_save, dist_load, dist_save_hdf5, dist_load_hdf5, named_tensor

  !> One of several inputs: dist_input(t), or dist_input(t, .true.) for its complex conjugate.
  type :: dist_input
    type(dist_tensor) :: tensor
    logical :: conj = .false.
  end type dist_input

  !> A tensor and its name in a file.
  type :: named_tensor
    character(:), allocatable :: name
    type(dist_tensor) :: tensor
  end type named_tensor

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
    type(dist_options), target :: chosen
    type(c_dist_options), target :: own
    type(c_dist_report), target :: done
    type(c_control), target :: control
    complex(c_double_complex), target :: factors(2)
    character(kind=c_char), allocatable, target :: text(:)
    character(:), allocatable :: fault
    integer(c_int32_t) :: code
    if (present(options)) chosen = options
    call read_options(own, code, options)
    call read_factors(own, factors, fault, alpha, beta)
    own%control = control_for_c(chosen%control, control)
    if (code == tenfold_ok) call make_epilogue(chosen%epilogue, own%epilogue, code)
    if (fault /= '') then
      code = refuse(d, tenfold_type_mismatch, fault)
    else if (code /= tenfold_ok) then
      code = refuse(d, code, last_message(code))
    else
      text = c_text(expression)
      done%size = c_sizeof(done)
      code = c_dist_contract(c_loc(text), inputs_for_c(inputs), size(inputs, kind=c_int32_t), &
                             tensor_handle(d), c_loc(own), c_loc(done))
    end if
    call destroy_epilogue(own%epilogue)
    if (present(report)) report = report_of(done)
    call tell(code, stat, errmsg)
  end subroutine dist_contract_many

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

  !> Local. Several lines of text on how a contraction of these tensors would run: labels, grid,
  !> bytes, bounds, memory. '' if it cannot be planned.
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

  !> Local. The same in numbers. All is 0 if it cannot be planned.
  function dist_summary(expression, inputs, d, options, stat, errmsg) result(summary)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(dist_plan_summary) :: summary
    type(c_dist_summary) :: own
    type(c_ptr) :: plan
    integer(c_int32_t) :: code
    call make_plan(expression, inputs, d, plan, code, options)
    own%size = c_sizeof(own)
    if (code == tenfold_ok) code = c_dist_plan_summarise(plan, own)
    if (code == tenfold_ok) summary = summary_of(own)
    call report(code, last_message(code), stat, errmsg)
    call c_dist_plan_destroy(plan)
  end function dist_summary

  !> What a function of C says of a contraction's plan.
  function text_of_plan(by, expression, inputs, d, options, stat, errmsg) result(text)
    procedure(c_dist_plan_explain) :: by
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: plan, pointer
    integer(c_int32_t) :: code
    text = ''
    call make_plan(expression, inputs, d, plan, code, options)
    if (code == tenfold_ok) code = by(plan, pointer)
    if (code == tenfold_ok) text = text_of(pointer)
    call report(code, last_message(code), stat, errmsg)
    call c_dist_plan_destroy(plan)
  end function text_of_plan

  !> A plan of these tensors, which is to be destroyed; null if there is none.
  subroutine make_plan(expression, inputs, d, plan, code, options)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(c_ptr), intent(out) :: plan
    integer(c_int32_t), intent(out) :: code
    type(dist_options), intent(in), optional :: options
    type(c_dist_options) :: own
    type(c_dist_part) :: part
    type(c_ptr) :: spreads(size(inputs) + 1)
    integer :: i
    spreads = c_null_ptr
    plan = c_null_ptr
    part%size = c_sizeof(part)
    call read_options(own, code, options)
    if (code == tenfold_ok) code = c_dist_local(tensor_handle(d), part)
    do i = 1, size(inputs)
      if (code == tenfold_ok) code = c_dist_distribution(tensor_handle(inputs(i)%tensor), spreads(i))
    end do
    if (code == tenfold_ok) code = c_dist_distribution(tensor_handle(d), spreads(size(spreads)))
    if (code == tenfold_ok) &
      code = c_dist_plan_create(c_text(expression), part%type, spreads, &
                                size(spreads, kind=c_int32_t), own, plan)
    do i = 1, size(spreads)
      call c_distribution_destroy(spreads(i))
    end do
  end subroutine make_plan

  !> Collective. Saves tensors in one checkpoint, which any number of ranks can load.
  subroutine dist_save(world, file, tensors, stat, errmsg)
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in) :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move(c_dist_save, world, file, tensors, stat, errmsg)
  end subroutine dist_save

  !> Collective. Loads some or all tensors of a checkpoint into tensors of the same shapes.
  subroutine dist_load(world, file, tensors, stat, errmsg)
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in) :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move(c_dist_load, world, file, tensors, stat, errmsg)
  end subroutine dist_load

  !> Collective. Datasets of an HDF5 file; names are paths.
  subroutine dist_save_hdf5(world, file, tensors, stat, errmsg)
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in) :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move(c_dist_save_hdf5, world, file, tensors, stat, errmsg)
  end subroutine dist_save_hdf5

  subroutine dist_load_hdf5(world, file, tensors, stat, errmsg)
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in) :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move(c_dist_load_hdf5, world, file, tensors, stat, errmsg)
  end subroutine dist_load_hdf5

  !> Calls a function of C that moves tensors to a file or from one.
  subroutine move(by, world, file, tensors, stat, errmsg)
    procedure(c_dist_save) :: by
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in), target :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_named_tensor) :: own(size(tensors))
    character(kind=c_char), allocatable, target :: names(:, :)
    integer :: i, longest, length
    integer(c_int32_t) :: code
    longest = 0
    do i = 1, size(tensors)
      if (allocated(tensors(i)%name)) longest = max(longest, len(tensors(i)%name))
    end do
    allocate (names(longest + 1, size(tensors)))
    names = c_null_char
    do i = 1, size(tensors)
      own(i)%tensor = tensor_handle(tensors(i)%tensor)
      if (.not. allocated(tensors(i)%name)) cycle ! NULL, which is refused on all ranks
      length = len(tensors(i)%name)
      names(:length, i) = transfer(tensors(i)%name, names, length)
      own(i)%name = c_loc(names(1, i))
    end do
    code = by(world_handle(world), c_text(file), own, size(own, kind=c_int32_t), c_null_ptr)
    call report(code, last_message(code), stat, errmsg)
  end subroutine move
end module tenfold_dist
