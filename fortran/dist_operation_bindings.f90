! Interfaces to the functions of tenfold/c/distributed/operations.h that the module tenfold_dist uses.
module tenfold_dist_operation_bindings
  use, intrinsic :: iso_c_binding
  implicit none
  public

  interface
    function c_dist_copy(x, y) bind(C, name="tenfold_dist_copy") result(code)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: x, y
      integer(c_int32_t) :: code
    end function c_dist_copy

    function c_dist_axpy(alpha, x, y) bind(C, name="tenfold_dist_axpy") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      complex(c_double_complex), intent(in) :: alpha
      type(c_ptr), value :: x, y
      integer(c_int32_t) :: code
    end function c_dist_axpy

    function c_dist_scale(factor, x) bind(C, name="tenfold_dist_scale") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      complex(c_double_complex), intent(in) :: factor
      type(c_ptr), value :: x
      integer(c_int32_t) :: code
    end function c_dist_scale

    function c_dist_sum(tensor, sum) bind(C, name="tenfold_dist_sum") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      type(c_ptr), value :: tensor
      complex(c_double_complex), intent(out) :: sum
      integer(c_int32_t) :: code
    end function c_dist_sum

    function c_dist_scalar(tensor, value) bind(C, name="tenfold_dist_scalar") result(code)
      import :: c_ptr, c_int32_t, c_double_complex
      type(c_ptr), value :: tensor
      complex(c_double_complex), intent(out) :: value
      integer(c_int32_t) :: code
    end function c_dist_scalar

    function c_dist_norm1(tensor, norm) bind(C, name="tenfold_dist_norm1") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor
      real(c_double), intent(out) :: norm
      integer(c_int32_t) :: code
    end function c_dist_norm1

    function c_dist_norm_max(tensor, norm) bind(C, name="tenfold_dist_norm_max") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor
      real(c_double), intent(out) :: norm
      integer(c_int32_t) :: code
    end function c_dist_norm_max

    function c_dist_minimum(tensor, value, position) bind(C, name="tenfold_dist_minimum") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor, position
      real(c_double), intent(out) :: value
      integer(c_int32_t) :: code
    end function c_dist_minimum

    function c_dist_maximum(tensor, value, position) bind(C, name="tenfold_dist_maximum") result(code)
      import :: c_ptr, c_int32_t, c_double
      type(c_ptr), value :: tensor, position
      real(c_double), intent(out) :: value
      integer(c_int32_t) :: code
    end function c_dist_maximum

    function c_dist_fill_uniform(tensor, seed, low, high) &
      bind(C, name="tenfold_dist_fill_uniform") result(code)
      import :: c_ptr, c_int32_t, c_int64_t, c_double
      type(c_ptr), value :: tensor
      integer(c_int64_t), value :: seed
      real(c_double), value :: low, high
      integer(c_int32_t) :: code
    end function c_dist_fill_uniform

    function c_dist_fill_normal(tensor, seed, mean, deviation) &
      bind(C, name="tenfold_dist_fill_normal") result(code)
      import :: c_ptr, c_int32_t, c_int64_t, c_double
      type(c_ptr), value :: tensor
      integer(c_int64_t), value :: seed
      real(c_double), value :: mean, deviation
      integer(c_int32_t) :: code
    end function c_dist_fill_normal
  end interface
end module tenfold_dist_operation_bindings
