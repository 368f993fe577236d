! Interfaces to the functions of tenfold/c/error.h that take or give errors in fields, and their structs.
module tenfold_error_bindings
  use, intrinsic :: iso_c_binding
  implicit none
  public

  type, bind(C) :: c_error_operand
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: extent = -1
    integer(c_int32_t) :: mode = -1
    integer(c_int32_t) :: order = -1
    integer(c_int32_t) :: type = -1
  end type c_error_operand

  type, bind(C) :: c_error_details
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: code = 0
    type(c_ptr) :: label = c_null_ptr
    type(c_error_operand) :: first
    type(c_error_operand) :: second
    integer(c_int64_t) :: position = -1
    integer(c_int64_t) :: least_bytes = -1
  end type c_error_details

  interface
    function c_last_error_details(details) bind(C, name="tenfold_last_error_details") result(code)
      import :: c_int32_t, c_error_details
      type(c_error_details), intent(inout) :: details
      integer(c_int32_t) :: code
    end function c_last_error_details

    function c_set_last_error(details, message) bind(C, name="tenfold_set_last_error") result(code)
      import :: c_char, c_int32_t, c_error_details
      type(c_error_details), intent(in) :: details
      character(kind=c_char), intent(in) :: message(*)
      integer(c_int32_t) :: code
    end function c_set_last_error
  end interface
end module tenfold_error_bindings
