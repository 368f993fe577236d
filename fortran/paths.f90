! Paths: the order in which a contraction takes its inputs.
module tenfold_paths
  use, intrinsic :: iso_c_binding
  use tenfold_errors
  use tenfold_plan_bindings
  implicit none
  private

  public :: path_for_c, make_path, path_of_plan

  !> A path as C has it; `own` refers to the arrays.
  type :: path_for_c
    type(c_path) :: own
    integer(c_int32_t), allocatable :: positions(:), counts(:)
  end type path_for_c

contains

  !> From Fortran's form, in which a column is a step, positions begin at 1, and 0 is none.
  subroutine make_path(path, made)
    integer, intent(in) :: path(:, :)
    type(path_for_c), intent(inout), target :: made
    made%positions = int(pack(path, path /= 0) - 1, c_int32_t)
    made%counts = int(count(path /= 0, dim=1), c_int32_t)
    made%own%step_count = size(made%counts, kind=c_int32_t)
    if (size(made%positions) > 0) made%own%positions = c_loc(made%positions)
    if (size(made%counts) > 0) made%own%counts = c_loc(made%counts)
  end subroutine make_path

  !> That of a plan; no steps unless the plan was created.
  function path_of_plan(plan) result(path)
    type(c_ptr), intent(in) :: plan
    integer, allocatable :: path(:, :)
    type(c_path) :: own
    integer(c_int32_t), pointer :: positions(:), counts(:)
    integer :: step, first
    allocate (path(0, 0))
    if (c_contraction_path(plan, own) /= tenfold_ok) return
    if (own%step_count == 0) return
    call c_f_pointer(own%counts, counts, [own%step_count])
    call c_f_pointer(own%positions, positions, [sum(counts)])
    deallocate (path)
    allocate (path(maxval(counts), own%step_count))
    path = 0
    first = 0
    do step = 1, size(counts)
      path(:counts(step), step) = positions(first + 1:first + counts(step)) + 1
      first = first + counts(step)
    end do
  end function path_of_plan
end module tenfold_paths
