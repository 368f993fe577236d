! Checks that print what failed and go on.
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  implicit none
  private

  public :: check, check_code, check_text, failed_checks, number_at

  integer :: failed = 0

contains

  subroutine check(is_true, what)
    logical, intent(in) :: is_true
    character(*), intent(in) :: what
    if (is_true) return
    failed = failed + 1
    write (error_unit, '(a)') 'not true: ' // what
  end subroutine check

  subroutine check_code(expected, code, what)
    integer, intent(in) :: expected, code
    character(*), intent(in) :: what
    if (code == expected) return
    failed = failed + 1
    write (error_unit, '(a,i0,a,i0)') what // ': code ', code, ', not ', expected
  end subroutine check_code

  subroutine check_text(part, text)
    character(*), intent(in) :: part, text
    if (index(text, part) > 0) return
    failed = failed + 1
    write (error_unit, '(a)') "'" // trim(text) // "' does not say '" // part // "'"
  end subroutine check_text

  integer function failed_checks()
    failed_checks = failed
  end function failed_checks

  !> An integer from -4 to 4 that differs by position.
  elemental real(real64) function number_at(i, j, salt)
    integer, intent(in) :: i, j, salt
    number_at = real(mod(i * 7 + j * 11 + i * j + salt * 5, 9) - 4, real64)
  end function number_at
end module checks
