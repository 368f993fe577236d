! Interfaces to the functions of tenfold/tenfold.h for lists of labels, paths, numbers of plans and
! matrix products, and their structs.
module tenfold_plan_bindings
  use, intrinsic :: iso_c_binding
  use tenfold_bindings, only: c_contract_options, c_data, c_execute_options, c_operands
  use tenfold_execution_bindings, only: c_matrix
  implicit none
  public

  type, bind(C) :: c_path
    type(c_ptr) :: positions = c_null_ptr
    type(c_ptr) :: counts = c_null_ptr
    integer(c_int32_t) :: step_count = 0
  end type c_path

  type, bind(C) :: c_label_list
    type(c_ptr) :: labels = c_null_ptr
    integer(c_int32_t) :: count = 0
  end type c_label_list

  type, bind(C) :: c_label_lists
    type(c_ptr) :: inputs = c_null_ptr
    integer(c_int32_t) :: input_count = 0
    type(c_ptr) :: output = c_null_ptr
  end type c_label_lists

  type, bind(C) :: c_summary
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: algorithm = 0
    integer(c_int32_t) :: threads = 0
    integer(c_int64_t) :: m = 0, n = 0, k = 0, batch = 0
    real(c_double) :: flops = 0
    real(c_double) :: bytes = 0
    real(c_double) :: seconds = 0
    real(c_double) :: flops_at_once = 0
    integer(c_int64_t) :: workspace_bytes = 0
    integer(c_int64_t) :: largest_intermediate_bytes = 0
    integer(c_int32_t) :: candidate_count = 0
    integer(c_int32_t) :: step_count = 0
    integer(c_int32_t) :: is_limited = 0
  end type c_summary

  type, bind(C) :: c_step
    integer(c_size_t) :: size = 0
    type(c_ptr) :: expression = c_null_ptr
    type(c_ptr) :: operands = c_null_ptr
    integer(c_int32_t) :: operand_count = 0
    integer(c_int32_t) :: algorithm = 0
    integer(c_int64_t) :: m = 0, n = 0, k = 0, batch = 0
    real(c_double) :: flops = 0
    real(c_double) :: seconds = 0
    integer(c_int64_t) :: workspace_bytes = 0
    integer(c_int64_t) :: result_bytes = 0
  end type c_step

  type, bind(C) :: c_product
    integer(c_int32_t) :: type = -1
    type(c_matrix) :: a, b, c
  end type c_product

  type, bind(C) :: c_gemm_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: alpha = c_null_ptr
    type(c_ptr) :: beta = c_null_ptr
    integer(c_int32_t) :: conj_a = 0
    integer(c_int32_t) :: conj_b = 0
    integer(c_int32_t) :: threads = 0
    integer(c_int32_t) :: backend = 0
    integer(c_int32_t) :: bf16_sums = 0
    type(c_ptr) :: epilogue = c_null_ptr
    type(c_ptr) :: control = c_null_ptr
  end type c_gemm_options

  !> Inputs and outputs; C has two types of this form.
  type, bind(C) :: c_matrix_batch
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: stride = 0
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: addresses = c_null_ptr
  end type c_matrix_batch

  interface
    function c_contract_labels(context, labels, operands, data, options, execute_options) &
      bind(C, name="tenfold_contract_labels") result(code)
      import :: c_ptr, c_int32_t, c_label_lists, c_operands, c_data, c_contract_options, &
                c_execute_options
      type(c_ptr), value :: context
      type(c_label_lists), intent(in) :: labels
      type(c_operands), intent(in) :: operands
      type(c_data), intent(in) :: data
      type(c_contract_options), intent(in) :: options
      type(c_execute_options), intent(in) :: execute_options
      integer(c_int32_t) :: code
    end function c_contract_labels

    function c_create_from_labels(context, labels, operands, options, plan) &
      bind(C, name="tenfold_contraction_create_from_labels") result(code)
      import :: c_ptr, c_int32_t, c_label_lists, c_operands, c_contract_options
      type(c_ptr), value :: context
      type(c_label_lists), intent(in) :: labels
      type(c_operands), intent(in) :: operands
      type(c_contract_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int32_t) :: code
    end function c_create_from_labels

    function c_contraction_path(plan, path) bind(C, name="tenfold_contraction_path") result(code)
      import :: c_ptr, c_int32_t, c_path
      type(c_ptr), value :: plan
      type(c_path), intent(out) :: path
      integer(c_int32_t) :: code
    end function c_contraction_path

    function c_contraction_summarise(plan, summary) bind(C, name="tenfold_contraction_summarise") &
      result(code)
      import :: c_ptr, c_int32_t, c_summary
      type(c_ptr), value :: plan
      type(c_summary), intent(inout) :: summary
      integer(c_int32_t) :: code
    end function c_contraction_summarise

    function c_contraction_step(plan, index, step) bind(C, name="tenfold_contraction_step") &
      result(code)
      import :: c_ptr, c_int32_t, c_step
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: index
      type(c_step), intent(inout) :: step
      integer(c_int32_t) :: code
    end function c_contraction_step

    function c_gemm(context, product, a, b, c, options) bind(C, name="tenfold_gemm") result(code)
      import :: c_ptr, c_int32_t, c_product, c_gemm_options
      type(c_ptr), value :: context, a, b, c
      type(c_product), intent(in) :: product
      type(c_gemm_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function c_gemm

    function c_gemm_batch(context, product, a, b, c, options) bind(C, name="tenfold_gemm_batch") &
      result(code)
      import :: c_ptr, c_int32_t, c_product, c_matrix_batch, c_gemm_options
      type(c_ptr), value :: context
      type(c_product), intent(in) :: product
      type(c_matrix_batch), intent(in) :: a, b, c
      type(c_gemm_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function c_gemm_batch

    function c_gemm_batch_reduce(context, product, a, b, c, options) &
      bind(C, name="tenfold_gemm_batch_reduce") result(code)
      import :: c_ptr, c_int32_t, c_product, c_matrix_batch, c_gemm_options
      type(c_ptr), value :: context, c
      type(c_product), intent(in) :: product
      type(c_matrix_batch), intent(in) :: a, b
      type(c_gemm_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function c_gemm_batch_reduce
  end interface
end module tenfold_plan_bindings
