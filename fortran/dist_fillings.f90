! Elements that a function of the caller's computes, one position after the other.
module tenfold_dist_fillings
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use tenfold_arrays, only: tenfold_f32, tenfold_f64, tenfold_c32, tenfold_i8, tenfold_u8, tenfold_i32
  use tenfold_errors, only: tenfold_type_mismatch
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
    integer(int8), pointer :: i8
    integer(int32), pointer :: i32
    complex(real64) :: value
    call c_f_pointer(user, how)
    call c_f_pointer(position, indices, [how%order])
    value = how%element(indices + 1)
    code = 0
    if (.not. fits(real(value, real64), how%type)) code = tenfold_type_mismatch
    if (code /= 0) return
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
    case (tenfold_i8)
      call c_f_pointer(element, i8)
      i8 = int(real(value, real64), int8)
    case (tenfold_u8)
      call c_f_pointer(element, i8)
      i8 = int(merge(real(value, real64), real(value, real64) - 256, real(value, real64) < 128), int8)
    case (tenfold_i32)
      call c_f_pointer(element, i32)
      i32 = int(real(value, real64), int32)
    case default
      call c_f_pointer(element, c64)
      c64 = value
    end select
  end function fill_element

  !> Whether a type holds a number; those that are no integers round it.
  pure logical function fits(value, type)
    real(real64), intent(in) :: value
    integer(c_int32_t), intent(in) :: type
    select case (type)
    case (tenfold_i8)
      fits = value >= -128 .and. value <= 127
    case (tenfold_u8)
      fits = value >= 0 .and. value <= 255
    case (tenfold_i32)
      fits = value >= -2147483648.0_real64 .and. value <= 2147483647
    case default
      fits = .true.
      return
    end select
    if (fits) fits = abs(value - anint(value)) <= 0
  end function fits
end module tenfold_dist_fillings
