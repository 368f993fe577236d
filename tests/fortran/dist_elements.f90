! Elements of tensors by their position, and other procedures that are passed on.
module dist_elements
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  implicit none
  private

  public :: element_of_a, element_of_b, complex_element, count_reports, negate

  integer, public :: reports = 0 !< calls of count_reports()

contains

  function element_of_a(position) result(element)
    integer(int64), intent(in) :: position(:)
    complex(real64) :: element
    element = number_at(int(position(1)), int(position(2)), 1)
  end function element_of_a

  function element_of_b(position) result(element)
    integer(int64), intent(in) :: position(:)
    complex(real64) :: element
    element = number_at(int(position(1)), int(position(2)), 2)
  end function element_of_b

  function complex_element(position) result(element)
    integer(int64), intent(in) :: position(:)
    complex(real64) :: element
    element = cmplx(position(1), -position(2), real64)
  end function complex_element
  subroutine count_reports(done, stop)
    real(real64), intent(in) :: done
    logical, intent(inout) :: stop
    reports = reports + 1
    stop = stop .or. done < 0
  end subroutine count_reports

  subroutine negate(elements)
    real(real64), intent(inout) :: elements(:)
    elements = -elements
  end subroutine negate
end module dist_elements
