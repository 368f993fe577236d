! Elements that a function of the caller's computes, one position after the other.
module tenfold_dist_fillings
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_dist_numbers, only: set_number
  implicit none
  private

  public :: element_function, filling, fill_element

  abstract interface
    !> The element at a position of the whole tensor; indices begin at 1.
    function element_function(position) result(element)
      import :: int64, real64
      integer(int64), intent(in) :: position(:)
      complex(real64) :: element
    end function element_function
  end interface

  !> What fill_by() passes through C.
  type :: filling
    procedure(element_function), pointer, nopass :: element => null()
    integer :: order = 0
    integer(c_int32_t) :: type = -1
  end type filling

contains

  function fill_element(position, element, user) bind(C) result(code)
    type(c_ptr), value :: position, element, user
    integer(c_int32_t) :: code
    type(filling), pointer :: how
    integer(c_int64_t), pointer :: indices(:)
    call c_f_pointer(user, how)
    call c_f_pointer(position, indices, [how%order])
    call set_number(element, how%type, how%element(indices + 1), code)
  end function fill_element
end module tenfold_dist_fillings
