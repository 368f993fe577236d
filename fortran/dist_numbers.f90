! Elements of every type, at the addresses that C passes, as numbers of complex(real64).
module tenfold_dist_numbers
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, real32, real64
  use tenfold_arrays, only: tenfold_f32, tenfold_f64, tenfold_c32, tenfold_bf16, tenfold_f16, tenfold_i8, &
                            tenfold_u8, tenfold_i32
  use tenfold_errors, only: tenfold_ok, tenfold_type_mismatch
  implicit none
  private

  public :: number_of, set_number, bytes_of

contains

  !> The number that an element is, exactly.
  function number_of(element, type) result(number)
    type(c_ptr), intent(in) :: element
    integer(c_int32_t), intent(in) :: type
    complex(real64) :: number
    real(real32), pointer :: f32
    real(real64), pointer :: f64
    complex(real32), pointer :: c32
    complex(real64), pointer :: c64
    integer(int8), pointer :: i8
    integer(int16), pointer :: bits
    integer(int32), pointer :: i32
    select case (type)
    case (tenfold_f32)
      call c_f_pointer(element, f32)
      number = cmplx(f32, kind=real64)
    case (tenfold_f64)
      call c_f_pointer(element, f64)
      number = cmplx(f64, kind=real64)
    case (tenfold_c32)
      call c_f_pointer(element, c32)
      number = cmplx(c32, kind=real64)
    case (tenfold_bf16)
      call c_f_pointer(element, bits)
      number = cmplx(transfer(shiftl(int(bits, int32), 16), 0.0_real32), kind=real64)
    case (tenfold_f16)
      call c_f_pointer(element, bits)
      number = cmplx(widened(bits), kind=real64)
    case (tenfold_i8)
      call c_f_pointer(element, i8)
      number = cmplx(i8, kind=real64)
    case (tenfold_u8)
      call c_f_pointer(element, i8)
      number = cmplx(iand(int(i8, int32), 255_int32), kind=real64)
    case (tenfold_i32)
      call c_f_pointer(element, i32)
      number = cmplx(i32, kind=real64)
    case default
      call c_f_pointer(element, c64)
      number = c64
    end select
  end function number_of

  !> The number that the bits of an f16 stand for.
  pure function widened(bits) result(number)
    integer(int16), intent(in) :: bits
    real(real32) :: number
    integer(int32) :: exponent, fraction
    exponent = ibits(int(bits, int32), 10, 5)
    fraction = ibits(int(bits, int32), 0, 10)
    select case (exponent)
    case (0)
      number = real(fraction, real32) / 2.0_real32**24
    case (31) ! infinite, or NaN
      number = transfer(ior(shiftl(255_int32, 23), shiftl(fraction, 13)), 0.0_real32)
    case default
      number = transfer(ior(shiftl(exponent + 112_int32, 23), shiftl(fraction, 13)), 0.0_real32)
    end select
    if (btest(bits, 15)) number = -number
  end function widened

  !> Writes an element of any type but bf16 and f16. A real type takes the real part; `code` is
  !> tenfold_type_mismatch, and nothing is written, if a type of integers does not hold it.
  subroutine set_number(element, type, number, code)
    type(c_ptr), intent(in) :: element
    integer(c_int32_t), intent(in) :: type
    complex(real64), intent(in) :: number
    integer(c_int32_t), intent(out) :: code
    real(real32), pointer :: f32
    real(real64), pointer :: f64
    complex(real32), pointer :: c32
    complex(real64), pointer :: c64
    integer(int8), pointer :: i8
    integer(int32), pointer :: i32
    real(real64) :: part
    part = real(number, real64)
    code = merge(tenfold_ok, tenfold_type_mismatch, fits(part, type))
    if (code /= tenfold_ok) return
    select case (type)
    case (tenfold_f32)
      call c_f_pointer(element, f32)
      f32 = real(part, real32)
    case (tenfold_f64)
      call c_f_pointer(element, f64)
      f64 = part
    case (tenfold_c32)
      call c_f_pointer(element, c32)
      c32 = cmplx(number, kind=real32)
    case (tenfold_i8)
      call c_f_pointer(element, i8)
      i8 = int(part, int8)
    case (tenfold_u8)
      call c_f_pointer(element, i8)
      i8 = int(merge(part, part - 256, part < 128), int8)
    case (tenfold_i32)
      call c_f_pointer(element, i32)
      i32 = int(part, int32)
    case default
      call c_f_pointer(element, c64)
      c64 = number
    end select
  end subroutine set_number

  !> Whether a type holds a number; those that are no integers round it.
  pure logical function fits(number, type)
    real(real64), intent(in) :: number
    integer(c_int32_t), intent(in) :: type
    select case (type)
    case (tenfold_i8)
      fits = number >= -128 .and. number <= 127
    case (tenfold_u8)
      fits = number >= 0 .and. number <= 255
    case (tenfold_i32)
      fits = number >= -2147483648.0_real64 .and. number <= 2147483647
    case default
      fits = .true.
      return
    end select
    if (fits) fits = abs(number - anint(number)) <= 0
  end function fits

  !> Bytes of an element.
  pure integer function bytes_of(type)
    integer(c_int32_t), intent(in) :: type
    select case (type)
    case (tenfold_i8, tenfold_u8)
      bytes_of = 1
    case (tenfold_bf16, tenfold_f16)
      bytes_of = 2
    case (tenfold_f32, tenfold_i32)
      bytes_of = 4
    case (tenfold_f64, tenfold_c32)
      bytes_of = 8
    case default
      bytes_of = 16
    end select
  end function bytes_of
end module tenfold_dist_numbers
