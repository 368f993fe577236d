! Contexts.
module tenfold_contexts
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use tenfold_bindings
  use tenfold_errors
  implicit none
  private

  public :: tenfold_context, context_handle, handle_or_null, tenfold_version

  integer, parameter, public :: tenfold_default = 0, tenfold_yes = 1, tenfold_no = 2
  !> Where a limit is a number of bytes and 0 means the default: no bytes at all.
  integer(int64), parameter, public :: tenfold_no_bytes = -1

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

  !> threads: 1 to 4096. Without arguments, all is as the environment says.
  subroutine create_context(self, threads, workspace_limit, reproducible, stat, errmsg)
    class(tenfold_context), intent(inout) :: self
    integer, intent(in), optional :: threads
    integer(int64), intent(in), optional :: workspace_limit
    logical, intent(in), optional :: reproducible
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_settings) :: settings
    integer(c_int32_t) :: code
    call self%destroy()
    settings%size = c_sizeof(settings)
    if (present(threads)) settings%threads = int(threads, c_int32_t)
    if (present(workspace_limit)) settings%workspace_limit = workspace_limit
    if (present(reproducible)) &
      settings%reproducible = int(merge(tenfold_yes, tenfold_no, reproducible), c_int32_t)
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
