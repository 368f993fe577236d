! Labels as numbers, in place of an expression.
module tenfold_labels
  use, intrinsic :: iso_c_binding
  use tenfold_bindings, only: most_modes
  use tenfold_plan_bindings
  implicit none
  private

  public :: label_list, lists_for_c, make_lists, has_too_many

  !> In place of labels: all dimensions for which there are none, as NumPy's "...".
  integer, parameter, public :: tenfold_ellipsis = -1

  !> A label for each dimension of an array, and an ellipsis.
  integer, parameter :: most_labels = most_modes + 1

  !> The labels of one array, dimension by dimension, as label_list([0, 1]): numbers from 0 on. It has
  !> no allocatable component, because gfortran 12 never frees those of an array constructor.
  type :: label_list
    private
    integer :: count = 0
    integer(c_int32_t) :: labels(most_labels) = 0
  end type label_list

  interface label_list
    module procedure new_list
  end interface label_list

  !> Lists as C has them; `own` refers to the arrays.
  type :: lists_for_c
    type(c_label_lists) :: own
    type(label_list), allocatable :: labels(:) !< of the inputs, then of the output
    type(c_label_list), allocatable :: lists(:)
  end type lists_for_c

contains

  function new_list(labels) result(list)
    integer, intent(in) :: labels(:)
    type(label_list) :: list
    integer :: used
    list%count = size(labels)
    used = min(list%count, most_labels)
    list%labels(:used) = int(labels(:used), c_int32_t)
  end function new_list

  !> Whether there are more labels than any array has dimensions.
  elemental logical function has_too_many(list)
    type(label_list), intent(in) :: list
    has_too_many = list%count > most_labels
  end function has_too_many

  subroutine make_lists(inputs, output, made)
    type(label_list), intent(in) :: inputs(:), output
    type(lists_for_c), intent(inout), target :: made
    integer :: i, n
    n = size(inputs)
    allocate (made%labels(n + 1), made%lists(n + 1))
    made%labels(:n) = inputs
    made%labels(n + 1) = output
    do i = 1, n + 1
      made%lists(i)%count = int(made%labels(i)%count, c_int32_t)
      made%lists(i)%labels = c_loc(made%labels(i)%labels)
    end do
    made%own%input_count = int(n, c_int32_t)
    made%own%inputs = c_loc(made%lists)
    made%own%output = c_loc(made%lists(n + 1))
  end subroutine make_lists
end module tenfold_labels
