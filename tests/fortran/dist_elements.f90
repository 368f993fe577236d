! Elements of tensors by their position.
module dist_elements
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  implicit none
  private

  public :: element_of_a, element_of_b, complex_element

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
end module dist_elements
