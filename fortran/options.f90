! Options of contractions, and what the execution of a plan is given.
module tenfold_options
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_bindings
  use tenfold_contexts
  use tenfold_controls
  use tenfold_epilogues
  implicit none
  private

  public :: contract_options, executor, options_for_c

  integer, parameter, public :: tenfold_algorithm_auto = 0, tenfold_algorithm_direct = 1
  integer, parameter, public :: tenfold_algorithm_gemm_loop = 2, tenfold_algorithm_ttgt = 3
  integer, parameter, public :: tenfold_algorithm_fused = 4, tenfold_algorithm_loops = 5
  integer, parameter, public :: tenfold_algorithm_reference = 6, tenfold_algorithm_leaves = 7
  integer, parameter, public :: tenfold_tuning_estimate = 0, tenfold_tuning_measure = 1
  integer, parameter, public :: tenfold_tuning_patient = 2
  integer, parameter, public :: tenfold_backend_default = 0, tenfold_backend_native = 1
  integer, parameter, public :: tenfold_backend_blis = 2

  !> 0 leaves a choice to the context.
  type :: contract_options
    integer :: algorithm = tenfold_algorithm_auto
    integer :: tuning = tenfold_tuning_estimate
    integer :: threads = 0
    integer :: backend = tenfold_backend_default
    integer :: reproducible = tenfold_default !< the same bits for any number of threads
    logical :: diagonal_output = .false. !< a label twice in D writes only D's diagonal
    logical :: conj_output = .false. !< D is the complex conjugate of all that is computed
    logical :: broadcast = .false. !< extents of 1 go with any extent of their label
    logical :: f64_sums = .false. !< products and sums are in real64 or complex(real64)
    integer(int64) :: workspace_limit = 0 !< bytes
    !> The order in which inputs are contracted, as a plan's path() gives it: a column is a step, which
    !> takes operands at these positions, from 1, out of the list, at first the inputs, and appends
    !> its result. Zeros fill columns of steps with fewer operands. Unless it is allocated, the
    !> expression's parentheses decide, or else Tenfold.
    integer, allocatable :: path(:, :)
    type(tenfold_context) :: context
    type(contraction_epilogue) :: epilogue !< steps on D; none unless some were added
    type(execution_control) :: control !< of calls that execute; plans take theirs from an executor
  end type contract_options

  !> Bounds on the execution of a plan. 0 leaves a choice to the context.
  type :: executor
    integer :: threads = 0 !< at most so many
    integer(int64) :: workspace_limit = 0 !< bytes; more is refused
    type(tenfold_context) :: context !< whose pool, threads and limit serve; else the plan's
    !> Memory that may be used, if it holds the plan's workspace from its first address that is a
    !> multiple of 64; otherwise the context's pool is.
    real(real64), pointer, contiguous :: workspace(:) => null()
    type(execution_control) :: control
  end type executor

contains

  !> The options as C has them, without path and epilogue.
  function options_for_c(options) result(own)
    type(contract_options), intent(in) :: options
    type(c_contract_options) :: own
    own%size = c_sizeof(own)
    own%algorithm = int(options%algorithm, c_int32_t)
    own%tuning = int(options%tuning, c_int32_t)
    own%backend = int(options%backend, c_int32_t)
    own%threads = int(options%threads, c_int32_t)
    own%reproducible = int(options%reproducible, c_int32_t)
    own%diagonal_output = merge(1_c_int32_t, 0_c_int32_t, options%diagonal_output)
    own%conj_output = merge(1_c_int32_t, 0_c_int32_t, options%conj_output)
    own%broadcast = merge(1_c_int32_t, 0_c_int32_t, options%broadcast)
    own%f64_sums = merge(1_c_int32_t, 0_c_int32_t, options%f64_sums)
    own%workspace_limit = options%workspace_limit
  end function options_for_c
end module tenfold_options
