! Interfaces to the functions of tenfold/tenfold.h that the module tenfold uses, and its structs.
module tenfold_bindings
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer, parameter :: most_modes = 15

  !> An array as fortran/describe.hpp has it.
  type, bind(C) :: described_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: type = -1
    integer(c_int32_t) :: order = 0
    integer(c_int64_t) :: extents(most_modes) !< `order` of them are set
    integer(c_int64_t) :: strides(most_modes)
    integer(c_int32_t) :: conjugated = 0
  end type described_array

  type, bind(C) :: c_tensor
    integer(c_int32_t) :: type = -1
    integer(c_int32_t) :: order = 0
    type(c_ptr) :: extents = c_null_ptr
    type(c_ptr) :: strides = c_null_ptr
    integer(c_int32_t) :: conjugated = 0
  end type c_tensor

  type, bind(C) :: c_operands
    type(c_ptr) :: inputs = c_null_ptr
    integer(c_int32_t) :: input_count = 0
    type(c_ptr) :: c = c_null_ptr
    type(c_ptr) :: d = c_null_ptr
  end type c_operands

  type, bind(C) :: c_data
    type(c_ptr) :: inputs = c_null_ptr
    integer(c_int32_t) :: input_count = 0
    type(c_ptr) :: c = c_null_ptr
    type(c_ptr) :: d = c_null_ptr
  end type c_data

  type, bind(C) :: c_contract_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: algorithm = 0
    integer(c_int32_t) :: tuning = 0
    integer(c_int32_t) :: backend = 0
    integer(c_int32_t) :: threads = 0
    integer(c_int32_t) :: reproducible = 0
    integer(c_int32_t) :: diagonal_output = 0
    integer(c_int64_t) :: workspace_limit = 0
    type(c_ptr) :: path = c_null_ptr
    integer(c_int32_t) :: broadcast = 0
    integer(c_int32_t) :: bf16_sums = 0
    type(c_ptr) :: epilogue = c_null_ptr
    integer(c_int32_t) :: f64_sums = 0
    integer(c_int32_t) :: conj_output = 0
  end type c_contract_options

  type, bind(C) :: c_transpose_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: tuning = 0
    integer(c_int32_t) :: threads = 0
    integer(c_int32_t) :: bypass_caches = 0
    type(c_ptr) :: beta = c_null_ptr
    real(c_double) :: tuning_seconds = 0
  end type c_transpose_options

  type, bind(C) :: c_execute_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: alpha = c_null_ptr
    type(c_ptr) :: beta = c_null_ptr
    type(c_ptr) :: workspace = c_null_ptr
    integer(c_size_t) :: workspace_bytes = 0
    type(c_ptr) :: control = c_null_ptr
    type(c_ptr) :: epilogue_data = c_null_ptr
    integer(c_int32_t) :: epilogue_count = 0
    type(c_ptr) :: record = c_null_ptr
    integer(c_int32_t) :: threads = 0
    integer(c_int64_t) :: workspace_limit = 0
    type(c_ptr) :: context = c_null_ptr
  end type c_execute_options

  type, bind(C) :: c_control
    integer(c_size_t) :: size = 0
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: stop = c_null_ptr
    integer(c_int64_t) :: interval_milliseconds = 0
  end type c_control

  type, bind(C) :: c_record
    integer(c_size_t) :: size = 0
    real(c_double) :: seconds = 0
    real(c_double) :: flops = 0
    real(c_double) :: bytes = 0
    integer(c_int64_t) :: workspace_bytes = 0
    integer(c_int32_t) :: threads = 0
    integer(c_int32_t) :: algorithm = 0
  end type c_record

  !> Inputs, C and D of batches; C has two types of this form.
  type, bind(C) :: c_batch_tensor
    type(c_ptr) :: first = c_null_ptr
    integer(c_int64_t) :: stride = 0
    type(c_ptr) :: addresses = c_null_ptr
  end type c_batch_tensor

  type, bind(C) :: c_batch
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: inputs = c_null_ptr
    integer(c_int32_t) :: input_count = 0
    type(c_batch_tensor) :: c, d
  end type c_batch

  type, bind(C) :: c_settings
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: threads = 0
    integer(c_int32_t) :: isa = 0
    integer(c_int32_t) :: backend = 0
    integer(c_int32_t) :: reproducible = 0
    integer(c_int64_t) :: workspace_limit = 0
    integer(c_int64_t) :: plan_cache_limit = 0
    integer(c_int64_t) :: kc = 0
    integer(c_int64_t) :: mc = 0
    integer(c_int64_t) :: nc = 0
    type(c_ptr) :: wisdom = c_null_ptr
    type(c_ptr) :: calibration = c_null_ptr
    integer(c_int32_t) :: log_level = 0
    type(c_funptr) :: log = c_null_funptr
    type(c_ptr) :: log_user = c_null_ptr
    real(c_double) :: watchdog_seconds = 0
    real(c_double) :: presence_seconds = 0
  end type c_settings

  interface
    subroutine describe(array, described) bind(C, name="tenfold_fortran_describe")
      import :: described_array
      type(*), dimension(..), intent(in) :: array
      type(described_array), intent(out) :: described
    end subroutine describe

    pure function c_strlen(text) bind(C, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: text
      integer(c_size_t) :: length
    end function c_strlen

    function c_last_error() bind(C, name="tenfold_last_error") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_last_error

    function c_error_name(code) bind(C, name="tenfold_error_name") result(text)
      import :: c_ptr, c_int32_t
      integer(c_int32_t), value :: code
      type(c_ptr) :: text
    end function c_error_name

    function c_type_name(type) bind(C, name="tenfold_type_name") result(text)
      import :: c_ptr, c_int32_t
      integer(c_int32_t), value :: type
      type(c_ptr) :: text
    end function c_type_name

    function c_version() bind(C, name="tenfold_version") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_version

    function c_context_create(settings, context) bind(C, name="tenfold_context_create") result(code)
      import :: c_ptr, c_int32_t, c_settings
      type(c_settings), intent(in) :: settings
      type(c_ptr), intent(out) :: context
      integer(c_int32_t) :: code
    end function c_context_create

    subroutine c_context_destroy(context) bind(C, name="tenfold_context_destroy")
      import :: c_ptr
      type(c_ptr), value :: context
    end subroutine c_context_destroy

    function c_context_global(context) bind(C, name="tenfold_context_global") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), intent(out) :: context
      integer(c_int32_t) :: code
    end function c_context_global

    function c_contract(context, expression, operands, data, options, execute_options) &
      bind(C, name="tenfold_contract") result(code)
      import :: c_ptr, c_int32_t, c_char, c_operands, c_data, c_contract_options, c_execute_options
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: expression(*)
      type(c_operands), intent(in) :: operands
      type(c_data), intent(in) :: data
      type(c_contract_options), intent(in) :: options
      type(c_execute_options), intent(in) :: execute_options
      integer(c_int32_t) :: code
    end function c_contract

    function c_transpose(context, expression, operands, data, options, execute_options) &
      bind(C, name="tenfold_transpose") result(code)
      import :: c_ptr, c_int32_t, c_char, c_operands, c_data, c_transpose_options, c_execute_options
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: expression(*)
      type(c_operands), intent(in) :: operands
      type(c_data), intent(in) :: data
      type(c_transpose_options), intent(in) :: options
      type(c_execute_options), intent(in) :: execute_options
      integer(c_int32_t) :: code
    end function c_transpose

    function c_contraction_create(context, expression, operands, options, plan) &
      bind(C, name="tenfold_contraction_create") result(code)
      import :: c_ptr, c_int32_t, c_char, c_operands, c_contract_options
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: expression(*)
      type(c_operands), intent(in) :: operands
      type(c_contract_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int32_t) :: code
    end function c_contraction_create

    subroutine c_contraction_destroy(plan) bind(C, name="tenfold_contraction_destroy")
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine c_contraction_destroy

    function c_contraction_execute(plan, data, options) &
      bind(C, name="tenfold_contraction_execute") result(code)
      import :: c_ptr, c_int32_t, c_data, c_execute_options
      type(c_ptr), value :: plan
      type(c_data), intent(in) :: data
      type(c_execute_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function c_contraction_execute

    function c_contraction_execute_batch(plan, batch, options, failed) &
      bind(C, name="tenfold_contraction_execute_batch") result(code)
      import :: c_ptr, c_int32_t, c_batch, c_execute_options
      type(c_ptr), value :: plan, failed
      type(c_batch), intent(in) :: batch
      type(c_execute_options), intent(in) :: options
      integer(c_int32_t) :: code
    end function c_contraction_execute_batch

    function c_contraction_explain(plan, text) bind(C, name="tenfold_contraction_explain") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
      integer(c_int32_t) :: code
    end function c_contraction_explain

    function c_contraction_json(plan, text) bind(C, name="tenfold_contraction_json") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
      integer(c_int32_t) :: code
    end function c_contraction_json

    function c_workspace_size(plan, bytes) bind(C, name="tenfold_contraction_workspace_size") &
      result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int32_t) :: code
    end function c_workspace_size
  end interface
end module tenfold_bindings
