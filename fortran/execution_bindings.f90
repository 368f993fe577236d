! Interfaces to the functions of tenfold/tenfold.h for transpose plans, stop tokens and epilogues of
! both kinds, and a struct of theirs.
module tenfold_execution_bindings
  use, intrinsic :: iso_c_binding
  implicit none
  public

  type, bind(C) :: c_matrix
    integer(c_int64_t) :: rows = 0, columns = 0, row_stride = 0, column_stride = 0
  end type c_matrix

  interface
    function c_transpose_create(context, permutation, a, b, options, plan) &
      bind(C, name="tenfold_transpose_create") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: context, a, b, options
      integer(c_int32_t), intent(in) :: permutation(*)
      type(c_ptr), intent(out) :: plan
      integer(c_int32_t) :: code
    end function c_transpose_create

    subroutine c_transpose_destroy(plan) bind(C, name="tenfold_transpose_destroy")
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine c_transpose_destroy

    function c_transpose_execute(plan, a, b, options) bind(C, name="tenfold_transpose_execute") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan, a, b, options
      integer(c_int32_t) :: code
    end function c_transpose_execute

    function c_transpose_explain(plan, text) bind(C, name="tenfold_transpose_explain") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
      integer(c_int32_t) :: code
    end function c_transpose_explain

    function c_transpose_seconds(plan, seconds) &
      bind(C, name="tenfold_transpose_predicted_seconds") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: plan
      real(c_double), intent(out) :: seconds
      integer(c_int32_t) :: code
    end function c_transpose_seconds

    function c_transpose_traffic(plan, reads_b, bytes) bind(C, name="tenfold_transpose_traffic") &
      result(code)
      import :: c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: plan
      integer(c_int32_t), value :: reads_b
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int32_t) :: code
    end function c_transpose_traffic

    function c_stop_create(stop) bind(C, name="tenfold_stop_create") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), intent(out) :: stop
      integer(c_int32_t) :: code
    end function c_stop_create

    subroutine c_stop_destroy(stop) bind(C, name="tenfold_stop_destroy")
      import :: c_ptr
      type(c_ptr), value :: stop
    end subroutine c_stop_destroy

    function c_stop_request(stop) bind(C, name="tenfold_stop_request") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: stop
      integer(c_int32_t) :: code
    end function c_stop_request

    function c_epilogue_create(epilogue) bind(C, name="tenfold_contraction_epilogue_create") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), intent(out) :: epilogue
      integer(c_int32_t) :: code
    end function c_epilogue_create

    subroutine c_epilogue_destroy(epilogue) bind(C, name="tenfold_contraction_epilogue_destroy")
      import :: c_ptr
      type(c_ptr), value :: epilogue
    end subroutine c_epilogue_destroy

    function c_epilogue_scale(epilogue, factor) bind(C, name="tenfold_contraction_epilogue_scale") &
      result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      type(c_ptr), value :: epilogue
      complex(c_double_complex), intent(in) :: factor
      integer(c_int32_t) :: code
    end function c_epilogue_scale

    function c_epilogue_add(epilogue, labels, tensor, x, factor) &
      bind(C, name="tenfold_contraction_epilogue_add") result(code)
      import :: c_ptr, c_int32_t, c_char, c_double_complex
      type(c_ptr), value :: epilogue, tensor, x
      character(kind=c_char), intent(in) :: labels(*)
      complex(c_double_complex), intent(in) :: factor
      integer(c_int32_t) :: code
    end function c_epilogue_add

    function c_epilogue_multiply(epilogue, labels, tensor, x, factor) &
      bind(C, name="tenfold_contraction_epilogue_multiply") result(code)
      import :: c_ptr, c_int32_t, c_char, c_double_complex
      type(c_ptr), value :: epilogue, tensor, x
      character(kind=c_char), intent(in) :: labels(*)
      complex(c_double_complex), intent(in) :: factor
      integer(c_int32_t) :: code
    end function c_epilogue_multiply

    function c_epilogue_apply(epilogue, function) &
      bind(C, name="tenfold_contraction_epilogue_apply") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: epilogue
      integer(c_int32_t), value :: function
      integer(c_int32_t) :: code
    end function c_epilogue_apply

    function c_epilogue_call(epilogue, type, function, user) &
      bind(C, name="tenfold_contraction_epilogue_call") result(code)
      import :: c_ptr, c_int32_t, c_funptr
      type(c_ptr), value :: epilogue, user
      integer(c_int32_t), value :: type
      type(c_funptr), value :: function
      integer(c_int32_t) :: code
    end function c_epilogue_call

    function c_product_epilogue_create(epilogue) bind(C, name="tenfold_epilogue_create") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), intent(out) :: epilogue
      integer(c_int32_t) :: code
    end function c_product_epilogue_create

    subroutine c_product_epilogue_destroy(epilogue) bind(C, name="tenfold_epilogue_destroy")
      import :: c_ptr
      type(c_ptr), value :: epilogue
    end subroutine c_product_epilogue_destroy

    function c_product_epilogue_scale(epilogue, factor) bind(C, name="tenfold_epilogue_scale") &
      result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      type(c_ptr), value :: epilogue
      complex(c_double_complex), intent(in) :: factor
      integer(c_int32_t) :: code
    end function c_product_epilogue_scale

    function c_product_epilogue_add(epilogue, type, matrix, x, factor) &
      bind(C, name="tenfold_epilogue_add") result(code)
      import :: c_ptr, c_int32_t, c_double_complex, c_matrix
      type(c_ptr), value :: epilogue, x
      integer(c_int32_t), value :: type
      type(c_matrix), intent(in) :: matrix
      complex(c_double_complex), intent(in) :: factor
      integer(c_int32_t) :: code
    end function c_product_epilogue_add

    function c_product_epilogue_multiply(epilogue, type, matrix, x, factor) &
      bind(C, name="tenfold_epilogue_multiply") result(code)
      import :: c_ptr, c_int32_t, c_double_complex, c_matrix
      type(c_ptr), value :: epilogue, x
      integer(c_int32_t), value :: type
      type(c_matrix), intent(in) :: matrix
      complex(c_double_complex), intent(in) :: factor
      integer(c_int32_t) :: code
    end function c_product_epilogue_multiply

    function c_product_epilogue_apply(epilogue, function) bind(C, name="tenfold_epilogue_apply") &
      result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: epilogue
      integer(c_int32_t), value :: function
      integer(c_int32_t) :: code
    end function c_product_epilogue_apply

    function c_product_epilogue_call(epilogue, type, function, user) &
      bind(C, name="tenfold_epilogue_call") result(code)
      import :: c_ptr, c_int32_t, c_funptr
      type(c_ptr), value :: epilogue, user
      integer(c_int32_t), value :: type
      type(c_funptr), value :: function
      integer(c_int32_t) :: code
    end function c_product_epilogue_call
  end interface
end module tenfold_execution_bindings
