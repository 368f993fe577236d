! Tenfold for Fortran: contractions of arrays and array sections. docs/fortran.md introduces it.
!
! Arrays have elements of real(real32), real(real64), complex(real32) or complex(real64), and up to 15
! dimensions; sections are used where they lie, whatever their strides. Procedures report failures
! through stat= (0, or a code as tenfold_extent_mismatch) and errmsg=; without stat= they end the
! program by error stop. On failure nothing was written.
module tenfold
  use tenfold_arrays, only: view, tensor_view, described, &
    tenfold_f32, tenfold_f64, tenfold_c32, tenfold_c64, tenfold_bf16, tenfold_f16, tenfold_i8, tenfold_u8, &
    tenfold_i32
  use tenfold_batches, only: tensor_batch, batch_of_slices, batch_of_views, batch_of_one
  use tenfold_calibrations
  use tenfold_calls
  use tenfold_contexts, only: tenfold_context, tenfold_version, tenfold_default, tenfold_yes, &
    tenfold_no, tenfold_no_bytes, tenfold_no_seconds, tenfold_isa_generic, tenfold_isa_avx2, tenfold_isa_avx512, &
    tenfold_isa_neon, tenfold_isa_sve, tenfold_log_quiet, tenfold_log_warn, tenfold_log_info, &
    tenfold_log_debug
  use tenfold_controls, only: stop_token, execution_control, execution_record, progress_report
  use tenfold_epilogues, only: contraction_epilogue, function_of_f32, function_of_f64, tenfold_relu, &
    tenfold_exp, tenfold_tanh, tenfold_sigmoid, tenfold_gelu_tanh, tenfold_gelu_erf
  use tenfold_errors
  use tenfold_labels, only: label_list, tenfold_ellipsis
  use tenfold_options, only: contract_options, executor, &
    tenfold_algorithm_auto, tenfold_algorithm_direct, tenfold_algorithm_gemm_loop, &
    tenfold_algorithm_ttgt, tenfold_algorithm_fused, tenfold_algorithm_loops, &
    tenfold_algorithm_reference, tenfold_algorithm_leaves, tenfold_tuning_estimate, &
    tenfold_tuning_measure, tenfold_tuning_patient, tenfold_backend_default, &
    tenfold_backend_native, tenfold_backend_blis
  use tenfold_plans, only: contraction_plan
  use tenfold_products, only: gemm, gemm_batch, gemm_batch_reduce
  use tenfold_summaries, only: plan_summary, plan_step
  use tenfold_transposes, only: transpose_plan
  implicit none
  private

  public :: contract, contract_many, transpose_tensor, gemm, gemm_batch, gemm_batch_reduce, view, tensor_view, contraction_plan, &
            plan_summary, plan_step, transpose_plan
  public :: contract_labels, contract_labels_many, label_list, tenfold_ellipsis
  public :: tenfold_context, contract_options, tenfold_version
  public :: calibrate, calibration_progress, calibration_result, measured_rate
  public :: error_name, error_details, error_operand, last_error
  public :: executor, execution_record, execution_control, progress_report, stop_token
  public :: tensor_batch, batch_of_slices, batch_of_views, batch_of_one
  public :: contraction_epilogue, function_of_f32, function_of_f64, tenfold_relu, tenfold_exp, &
            tenfold_tanh, tenfold_sigmoid, tenfold_gelu_tanh, tenfold_gelu_erf
  public :: tenfold_f32, tenfold_f64, tenfold_c32, tenfold_c64, tenfold_bf16, tenfold_f16, tenfold_i8, &
            tenfold_u8, tenfold_i32
  public :: tenfold_algorithm_auto, tenfold_algorithm_direct, tenfold_algorithm_gemm_loop, &
            tenfold_algorithm_ttgt, tenfold_algorithm_fused, tenfold_algorithm_loops, &
            tenfold_algorithm_reference, tenfold_algorithm_leaves
  public :: tenfold_tuning_estimate, tenfold_tuning_measure, tenfold_tuning_patient
  public :: tenfold_backend_default, tenfold_backend_native, tenfold_backend_blis
  public :: tenfold_default, tenfold_yes, tenfold_no, tenfold_no_bytes, tenfold_no_seconds
  public :: tenfold_isa_generic, tenfold_isa_avx2, tenfold_isa_avx512, tenfold_isa_neon, tenfold_isa_sve
  public :: tenfold_log_quiet, tenfold_log_warn, tenfold_log_info, tenfold_log_debug
  public :: tenfold_ok, tenfold_syntax, tenfold_unknown_label, tenfold_repeated_label, &
            tenfold_order_mismatch, tenfold_extent_mismatch, tenfold_type_mismatch, &
            tenfold_invalid_argument, tenfold_overflow, tenfold_overlap, tenfold_null_pointer, &
            tenfold_workspace_too_small, tenfold_out_of_memory, tenfold_unsupported, tenfold_io, &
            tenfold_disagreement, tenfold_communication, tenfold_stopped

contains

  !> D = alpha op(A) op(B) + beta C: call contract("abij=abef*efij", v, t, r). C is D unless c is
  !> passed. alpha is 1 and beta is 0, or 1 if the expression says "+=" or "-="; both are real,
  !> complex or integer numbers. If beta is 0, C is not read.
  subroutine contract(expression, a, b, d, c, alpha, beta, conj_a, conj_b, options, record, stat, errmsg)
    character(*), intent(in) :: expression
    type(*), dimension(..), intent(in) :: a, b
    type(*), dimension(..), intent(inout) :: d
    type(*), dimension(..), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    logical, intent(in), optional :: conj_a, conj_b
    type(contract_options), intent(in), optional :: options
    type(execution_record), intent(out), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(c)) then
      call set_arrays(call, [described(a, conj_a), described(b, conj_b)], described(d), described(c))
    else
      call set_arrays(call, [described(a, conj_a), described(b, conj_b)], described(d))
    end if
    call set_scalars(call, alpha, beta)
    if (present(options)) call%options = options
    call%wants_record = present(record)
    call contract_now(call, expression)
    if (present(record)) record = call%record
    call conclude(call, stat, errmsg)
  end subroutine contract

  !> The same for any number of inputs, in the cheapest order:
  !>     call contract_many("ij=ik*kl*lj", [view(x), view(y), view(z)], d)
  subroutine contract_many(expression, inputs, d, c, alpha, beta, options, record, stat, errmsg)
    character(*), intent(in) :: expression
    type(tensor_view), intent(in) :: inputs(:)
    type(*), dimension(..), intent(inout) :: d
    type(*), dimension(..), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    type(contract_options), intent(in), optional :: options
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
    if (present(options)) call%options = options
    call%wants_record = present(record)
    call contract_now(call, expression)
    if (present(record)) record = call%record
    call conclude(call, stat, errmsg)
  end subroutine contract_many

  !> The same with numbers for labels, in NumPy's form einsum(A, [0, 1], B, [1, 2], [0, 2]):
  !>     call contract_labels(a, [0, 1], b, [1, 2], d, [0, 2])
  !> Numbers begin at 0, tenfold_ellipsis stands for any number of dimensions, and extents of 1 go with
  !> any extent of their label.
  subroutine contract_labels(a, labels_a, b, labels_b, d, labels_d, c, alpha, beta, conj_a, conj_b, options, &
                             record, stat, errmsg)
    type(*), dimension(..), intent(in) :: a, b
    type(*), dimension(..), intent(inout) :: d
    integer, intent(in) :: labels_a(:), labels_b(:), labels_d(:)
    type(*), dimension(..), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    logical, intent(in), optional :: conj_a, conj_b
    type(contract_options), intent(in), optional :: options
    type(execution_record), intent(out), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(c)) then
      call set_arrays(call, [described(a, conj_a), described(b, conj_b)], described(d), described(c))
    else
      call set_arrays(call, [described(a, conj_a), described(b, conj_b)], described(d))
    end if
    call set_labels(call, [label_list(labels_a), label_list(labels_b)], labels_d)
    call set_scalars(call, alpha, beta)
    if (present(options)) call%options = options
    call%wants_record = present(record)
    call contract_now(call, '')
    if (present(record)) record = call%record
    call conclude(call, stat, errmsg)
  end subroutine contract_labels

  !> The same for any number of inputs, with as many lists of labels:
  !>     call contract_labels_many([view(x), view(y)], [label_list([0, 1]), label_list([1])], d, [0])
  subroutine contract_labels_many(inputs, labels, d, labels_d, c, alpha, beta, options, record, stat, errmsg)
    type(tensor_view), intent(in) :: inputs(:)
    type(label_list), intent(in) :: labels(:)
    type(*), dimension(..), intent(inout) :: d
    integer, intent(in) :: labels_d(:)
    type(*), dimension(..), intent(in), optional :: c
    class(*), intent(in), optional :: alpha, beta
    type(contract_options), intent(in), optional :: options
    type(execution_record), intent(out), optional :: record
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    if (present(c)) then
      call set_arrays(call, inputs%array, described(d), described(c))
    else
      call set_arrays(call, inputs%array, described(d))
    end if
    call set_labels(call, labels, labels_d)
    call set_scalars(call, alpha, beta)
    if (present(options)) call%options = options
    call%wants_record = present(record)
    call contract_now(call, '')
    if (present(record)) record = call%record
    call conclude(call, stat, errmsg)
  end subroutine contract_labels_many

  !> B = alpha op(permuted A) + beta B: call transpose_tensor("badc=abcd", a, b). The two may differ
  !> in precision.
  subroutine transpose_tensor(expression, a, b, alpha, beta, conj_a, options, stat, errmsg)
    character(*), intent(in) :: expression
    type(*), dimension(..), intent(in) :: a
    type(*), dimension(..), intent(inout) :: b
    class(*), intent(in), optional :: alpha, beta
    logical, intent(in), optional :: conj_a
    type(contract_options), intent(in), optional :: options !< tuning, threads, context and control count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    call set_arrays(call, [described(a, conj_a)], described(b), output_name='b')
    call set_scalars(call, alpha, beta)
    if (present(options)) call%options = options
    call transpose_now(call, expression)
    call conclude(call, stat, errmsg)
  end subroutine transpose_tensor
end module tenfold
