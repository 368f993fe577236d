! Plans in numbers.
module tenfold_summaries
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_errors
  use tenfold_plan_bindings
  implicit none
  private

  public :: plan_summary, plan_step, get_summary, get_step

  !> What a plan decided, and what it predicts. m, n, k and batch are products of extents.
  type :: plan_summary
    integer :: algorithm = 0 !< tenfold_algorithm_...
    integer :: threads = 0
    integer(int64) :: m = 0, n = 0, k = 0, batch = 0
    real(real64) :: flops = 0
    real(real64) :: flops_at_once = 0 !< of a single loop nest over all labels
    real(real64) :: bytes = 0 !< of the inputs and D, each once
    real(real64) :: seconds = 0 !< predicted
    integer(int64) :: workspace_bytes = 0
    integer(int64) :: largest_intermediate_bytes = 0
    integer :: candidates = 0 !< that were compared; 0 with more than two inputs
    integer :: steps = 0 !< 0 with one or two inputs
    logical :: is_limited = .false. !< a larger workspace limit would allow another choice
  end type plan_summary

  !> One step of a contraction of more than two inputs.
  type :: plan_step
    character(:), allocatable :: expression
    !> An input by its number, from 1; the result of an earlier step by the number of inputs plus the
    !> step's.
    integer, allocatable :: operands(:)
    integer :: algorithm = 0
    integer(int64) :: m = 0, n = 0, k = 0, batch = 0
    real(real64) :: flops = 0
    real(real64) :: seconds = 0 !< predicted
    integer(int64) :: workspace_bytes = 0 !< of this step, beside the intermediates
    integer(int64) :: result_bytes = 0
  end type plan_step

contains

  subroutine get_summary(plan, found, code)
    type(c_ptr), intent(in) :: plan
    type(plan_summary), intent(out) :: found
    integer(c_int32_t), intent(out) :: code
    type(c_summary) :: own
    own%size = c_sizeof(own)
    code = c_contraction_summarise(plan, own)
    if (code /= tenfold_ok) return
    found = plan_summary(algorithm=int(own%algorithm), threads=int(own%threads), m=own%m, n=own%n, &
                         k=own%k, batch=own%batch, flops=own%flops, flops_at_once=own%flops_at_once, &
                         bytes=own%bytes, seconds=own%seconds, workspace_bytes=own%workspace_bytes, &
                         largest_intermediate_bytes=own%largest_intermediate_bytes, &
                         candidates=int(own%candidate_count), steps=int(own%step_count), &
                         is_limited=own%is_limited /= 0)
  end subroutine get_summary

  !> index: from 1.
  subroutine get_step(plan, index, found, code)
    type(c_ptr), intent(in) :: plan
    integer, intent(in) :: index
    type(plan_step), intent(out) :: found
    integer(c_int32_t), intent(out) :: code
    type(c_step) :: own
    integer(c_size_t), pointer :: operands(:)
    own%size = c_sizeof(own)
    code = c_contraction_step(plan, int(index - 1, c_int32_t), own)
    if (code /= tenfold_ok) return
    call c_f_pointer(own%operands, operands, [own%operand_count])
    found%expression = text_of(own%expression)
    found%operands = int(operands) + 1
    found%algorithm = int(own%algorithm)
    found%m = own%m
    found%n = own%n
    found%k = own%k
    found%batch = own%batch
    found%flops = own%flops
    found%seconds = own%seconds
    found%workspace_bytes = own%workspace_bytes
    found%result_bytes = own%result_bytes
  end subroutine get_step
end module tenfold_summaries
