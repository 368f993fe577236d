! Elements of tensors by their position, and other procedures that are passed on.
module dist_elements
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  implicit none
  private

  public :: element_of_a, element_of_b, complex_element, count_reports, negate
  public :: weighted, three_hundred, is_in_last_columns

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

  !> Which input is which shows.
  function weighted(position, inputs) result(element)
    integer(int64), intent(in) :: position(:)
    complex(real64), intent(in) :: inputs(:)
    complex(real64) :: element
    integer :: i
    element = position(1) + 10 * position(2) + sum([(i * inputs(i), i=1, size(inputs))])
  end function weighted

  !> No element of integer(int8).
  function three_hundred(position, inputs) result(element)
    integer(int64), intent(in) :: position(:)
    complex(real64), intent(in) :: inputs(:)
    complex(real64) :: element
    element = 300 + 0 * position(1) * inputs(1)
  end function three_hundred

  function is_in_last_columns(position) result(is_there)
    integer(int64), intent(in) :: position(:)
    logical :: is_there
    is_there = position(2) > 4
  end function is_in_last_columns

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
