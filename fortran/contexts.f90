! Contexts.
module tenfold_contexts
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_bindings
  use tenfold_errors
  implicit none
  private

  public :: tenfold_context, context_handle, handle_or_null, tenfold_version

  integer, parameter, public :: tenfold_default = 0, tenfold_yes = 1, tenfold_no = 2
  !> Where a limit is a number of bytes and 0 means the default: no bytes at all.
  integer(int64), parameter, public :: tenfold_no_bytes = -1
  !> The same for seconds.
  real(real64), parameter, public :: tenfold_no_seconds = -1
  integer, parameter, public :: tenfold_isa_generic = 1, tenfold_isa_avx2 = 2, tenfold_isa_avx512 = 3
  integer, parameter, public :: tenfold_isa_neon = 4, tenfold_isa_sve = 5
  integer, parameter, public :: tenfold_log_quiet = 1, tenfold_log_warn = 2, tenfold_log_info = 3
  integer, parameter, public :: tenfold_log_debug = 4

  !> Settings, a pool of workspace and a cache of plans. One that was not created stands for the
  !> context of the process. A copy refers to the same context; destroy it once.
  type :: tenfold_context
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_context
    procedure :: destroy => destroy_context
  end type tenfold_context

contains

  !> threads: 1 to 4096. isa: the instruction set of the kernels. plan_cache_limit: bytes of the plans
  !> that calls keep. wisdom: the file of what tuning finds, '' for none. calibration: the file of the
  !> machine's rates, 'off' for typical ones. watchdog_seconds, presence_seconds: of worlds that are
  !> made with the context. What is absent is as the environment says.
  subroutine create_context(self, threads, workspace_limit, reproducible, isa, backend, plan_cache_limit, &
                            wisdom, calibration, log_level, watchdog_seconds, presence_seconds, stat, errmsg)
    class(tenfold_context), intent(inout) :: self
    integer, intent(in), optional :: threads, isa, backend, log_level
    integer(int64), intent(in), optional :: workspace_limit, plan_cache_limit
    logical, intent(in), optional :: reproducible
    character(*), intent(in), optional :: wisdom, calibration
    real(real64), intent(in), optional :: watchdog_seconds, presence_seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_settings) :: settings
    character(kind=c_char), allocatable, target :: wisdom_text(:), calibration_text(:)
    integer(c_int32_t) :: code
    call self%destroy()
    settings%size = c_sizeof(settings)
    if (present(threads)) settings%threads = int(threads, c_int32_t)
    if (present(workspace_limit)) settings%workspace_limit = workspace_limit
    if (present(reproducible)) &
      settings%reproducible = int(merge(tenfold_yes, tenfold_no, reproducible), c_int32_t)
    if (present(isa)) settings%isa = int(isa, c_int32_t)
    if (present(backend)) settings%backend = int(backend, c_int32_t)
    if (present(plan_cache_limit)) settings%plan_cache_limit = plan_cache_limit
    if (present(wisdom)) then
      allocate (wisdom_text, source=c_text(wisdom))
      settings%wisdom = c_loc(wisdom_text)
    end if
    if (present(calibration)) then
      allocate (calibration_text, source=c_text(calibration))
      settings%calibration = c_loc(calibration_text)
    end if
    if (present(log_level)) settings%log_level = int(log_level, c_int32_t)
    if (present(watchdog_seconds)) settings%watchdog_seconds = watchdog_seconds
    if (present(presence_seconds)) settings%presence_seconds = presence_seconds
    code = c_context_create(settings, self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine create_context

  subroutine destroy_context(self)
    class(tenfold_context), intent(inout) :: self
    call c_context_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy_context

  !> The handle for a call; that of the process unless the context was created.
  subroutine context_handle(context, handle, code)
    type(tenfold_context), intent(in) :: context
    type(c_ptr), intent(out) :: handle
    integer(c_int32_t), intent(out) :: code
    code = tenfold_ok
    handle = context%handle
    if (.not. c_associated(handle)) code = c_context_global(handle)
  end subroutine context_handle

  !> The handle of a context that was created, or null.
  function handle_or_null(context) result(handle)
    type(tenfold_context), intent(in) :: context
    type(c_ptr) :: handle
    handle = context%handle
  end function handle_or_null

  !> The version of the library, "0.1.0".
  function tenfold_version() result(text)
    character(:), allocatable :: text
    text = text_of(c_version())
  end function tenfold_version
end module tenfold_contexts
