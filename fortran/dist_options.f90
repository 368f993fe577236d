! Options of distributed contractions.
module tenfold_dist_options
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_contexts, only: tenfold_context, context_handle, tenfold_default
  use tenfold_controls, only: execution_control
  use tenfold_dist_bindings
  use tenfold_epilogues, only: contraction_epilogue
  use tenfold_errors
  use tenfold_options, only: tenfold_backend_default
  implicit none
  private

  public :: dist_options, read_options

  !> 0 leaves a choice to the library. The same on every rank, but for threads, context and control.
  type :: dist_options
    integer :: algorithm = 0 !< for the local contractions
    integer :: tuning = 0
    integer :: threads = 0
    integer :: backend = tenfold_backend_default
    integer :: reproducible = tenfold_default !< the same bits on any number of ranks and threads
    logical :: diagonal_output = .false. !< a label twice in D writes only D's diagonal
    integer(int64) :: workspace_limit = 0 !< bytes, for the local contractions
    !> Bytes of the tensors, panels, buffers and local workspace of one rank together.
    integer(int64) :: memory_per_rank = 0
    integer :: grid(4) = 0 !< parts into which the batch, m, n and k labels are cut
    integer(int64) :: step(4) = 0 !< the most positions of these labels in one step of a rank
    !> Ranks of a node, if those of a node follow each other. 0: as the world finds it; of plans, all are on one.
    integer :: ranks_per_node = 0
    type(tenfold_context) :: context
    !> Of dist_contract. Its arrays are whole on every rank.
    type(contraction_epilogue) :: epilogue
    !> Of dist_contract, on all ranks or on none. A stop on any rank ends the call on all ranks.
    type(execution_control) :: control
  end type dist_options

contains

  !> The options as C has them, without epilogue and control.
  subroutine read_options(own, code, options)
    type(c_dist_options), intent(inout) :: own
    integer(c_int32_t), intent(out) :: code
    type(dist_options), intent(in), optional :: options
    code = tenfold_ok
    own%size = c_sizeof(own)
    if (.not. present(options)) return
    own%algorithm = int(options%algorithm, c_int32_t)
    own%tuning = int(options%tuning, c_int32_t)
    own%threads = int(options%threads, c_int32_t)
    own%reproducible = int(options%reproducible, c_int32_t)
    own%diagonal_output = merge(1_c_int32_t, 0_c_int32_t, options%diagonal_output)
    own%workspace_limit = options%workspace_limit
    own%memory_per_rank = options%memory_per_rank
    own%grid = int(options%grid, c_int32_t)
    own%step = options%step
    own%ranks_per_node = int(options%ranks_per_node, c_int32_t)
    own%backend = int(options%backend, c_int32_t)
    call context_handle(options%context, own%context, code)
  end subroutine read_options
end module tenfold_dist_options
