! Lists of tasks from which ranks take some as soon as they have finished others.
module tenfold_dist_tasks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_bindings, only: c_control
  use tenfold_controls, only: execution_control, control_for_c
  use tenfold_dist_bindings, only: c_world_agree
  use tenfold_dist_operation_bindings
  use tenfold_dist_worlds
  use tenfold_errors
  implicit none
  private

  public :: dist_for_each_task, task_procedure

  abstract interface
    !> Does the task of this number, from 1. Setting `code`, which is 0, to anything else fails the call
    !> on all ranks.
    subroutine task_procedure(task, code)
      import :: int64
      integer(int64), intent(in) :: task
      integer, intent(inout) :: code
    end subroutine task_procedure
  end interface

  !> What dist_for_each_task() passes through C.
  type :: doing
    procedure(task_procedure), pointer, nopass :: task => null()
  end type doing

contains

  !> Collective. Calls task(number, code) for the numbers 1 to count. Each is done by one rank, which gets
  !> more when it has done others, so that all end together. Rank 0 hands them out between its own ones.
  !> The procedure makes no collective calls on this world. costs: what each task costs, in any unit, the
  !> same on all ranks; the largest are handed out first. control: on all ranks or on none; a stop on any
  !> rank ends the call on all of them.
  subroutine dist_for_each_task(world, count, task, costs, control, stat, errmsg)
    class(tenfold_world), intent(in) :: world
    integer, intent(in) :: count
    procedure(task_procedure) :: task
    real(real64), intent(in), optional :: costs(:)
    type(execution_control), intent(in), target, optional :: control
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_task_options) :: options
    type(c_control), target :: its_control
    real(c_double), allocatable, target :: its_costs(:)
    type(doing), target :: how
    integer(c_int32_t) :: code
    how%task => task
    options%size = c_sizeof(options)
    code = tenfold_ok
    if (present(costs)) then
      its_costs = costs
      if (size(costs) /= count) then
        code = c_world_agree(world_handle(world), tenfold_extent_mismatch, &
                             c_text('costs has another number of elements than there are tasks'))
      else if (count > 0) then
        options%costs = c_loc(its_costs)
      end if
    end if
    if (present(control)) options%control = control_for_c(control, its_control)
    if (code == tenfold_ok) &
      code = c_for_each_task(world_handle(world), int(count, c_int64_t), c_funloc(pass_task), c_loc(how), options)
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_for_each_task

  function pass_task(task, user) bind(C) result(code)
    integer(c_int64_t), value :: task
    type(c_ptr), value :: user
    integer(c_int32_t) :: code
    type(doing), pointer :: how
    integer :: its_code
    call c_f_pointer(user, how)
    its_code = 0
    call how%task(task + 1, its_code)
    code = int(its_code, c_int32_t)
  end function pass_task
end module tenfold_dist_tasks
