! Elements that a function of the caller's computes, one position after the other.
module tenfold_dist_fillings
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use tenfold_arrays, only: tenfold_f32, tenfold_f64, tenfold_c32
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
    real(real32), pointer :: f32
    real(real64), pointer :: f64
    complex(real32), pointer :: c32
    complex(real64), pointer :: c64
    complex(real64) :: value
    call c_f_pointer(user, how)
    call c_f_pointer(position, indices, [how%order])
    value = how%element(indices + 1)
    select case (how%type)
    case (tenfold_f32)
      call c_f_pointer(element, f32)
      f32 = real(value, real32)
    case (tenfold_f64)
      call c_f_pointer(element, f64)
      f64 = real(value, real64)
    case (tenfold_c32)
      call c_f_pointer(element, c32)
      c32 = cmplx(value, kind=real32)
    case default
      call c_f_pointer(element, c64)
      c64 = value
    end select
    code = 0
  end function fill_element
end module tenfold_dist_fillings
