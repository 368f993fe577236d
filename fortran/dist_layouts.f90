! Distributions for tensors that several contractions share.
module tenfold_dist_layouts
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_dist_bindings
  use tenfold_dist_options
  use tenfold_dist_tensors
  use tenfold_dist_worlds
  use tenfold_errors
  implicit none
  private

  public :: planned_layouts, layouts_summary

  !> A name and extents, or an expression and how often it is evaluated.
  type :: entry
    character(kind=c_char), allocatable :: text(:) !< ends with c_null_char
    integer(int64), allocatable :: extents(:)
    integer(int64) :: times = 1
  end type entry

  !> How tensors had best be distributed for all contractions together: name the tensors, then the
  !> contractions, then plan, then create the tensors. destroy it once.
  type :: planned_layouts
    private
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int32_t) :: type = -1
    type(entry), allocatable :: tensors(:), contractions(:)
  contains
    procedure, private :: tensor_of_integers
    procedure, private :: tensor_of_long_integers
    generic :: tensor => tensor_of_integers, tensor_of_long_integers
    procedure :: contraction
    procedure :: plan
    procedure :: create
    procedure :: summary
    procedure :: destroy
  end type planned_layouts

  !> What all contractions take, one after the other, and what they would take with the default
  !> distribution of all tensors.
  type :: layouts_summary
    real(real64) :: seconds = 0 !< predicted
    real(real64) :: default_seconds = 0
    integer(int64) :: bytes_received = 0 !< per rank
    integer(int64) :: default_bytes_received = 0
    integer(int64) :: memory = 0 !< bytes per rank: the largest blocks of all tensors together
    integer(int64) :: default_memory = 0
  end type layouts_summary

contains

  !> Local. Names a tensor.
  subroutine tensor_of_long_integers(self, name, extents)
    class(planned_layouts), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: extents(:)
    call append(self%tensors, name, extents)
  end subroutine tensor_of_long_integers

  subroutine tensor_of_integers(self, name, extents)
    class(planned_layouts), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: extents(:)
    call append(self%tensors, name, int(extents, int64))
  end subroutine tensor_of_integers

  !> Local. One of the contractions, "R[a,i] = V[a,b] * T[b,i]", of one or two inputs. times: how
  !> often it is evaluated, else once.
  subroutine contraction(self, expression, times)
    class(planned_layouts), intent(inout) :: self
    character(*), intent(in) :: expression
    integer, intent(in), optional :: times
    call append(self%contractions, expression, [integer(int64) ::])
    if (present(times)) self%contractions(size(self%contractions))%times = times
  end subroutine contraction

  subroutine append(list, text, extents)
    type(entry), allocatable, intent(inout) :: list(:)
    character(*), intent(in) :: text
    integer(int64), intent(in) :: extents(:)
    type(entry), allocatable :: longer(:)
    integer :: count
    count = 0
    if (allocated(list)) count = size(list)
    allocate (longer(count + 1))
    if (count > 0) longer(:count) = list
    longer(count + 1)%text = c_text(text)
    longer(count + 1)%extents = extents
    call move_alloc(longer, list)
  end subroutine append

  !> Local. Finds the distributions over so many ranks, for the least predicted seconds of all
  !> contractions together. type: tenfold_f64 and so on. copies: whether tensors may be kept in several
  !> copies; memory_per_rank: then, the most bytes of all tensors' blocks on one rank.
  subroutine plan(self, type, ranks, options, copies, memory_per_rank, stat, errmsg)
    class(planned_layouts), intent(inout), target :: self
    integer(c_int32_t), intent(in) :: type
    integer, intent(in) :: ranks
    type(dist_options), intent(in), optional :: options
    logical, intent(in), optional :: copies
    integer(int64), intent(in), optional :: memory_per_rank
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_shared_contractions) :: wanted
    type(c_dist_options) :: own
    type(c_named_extents), allocatable, target :: tensors(:)
    type(c_ptr), allocatable, target :: expressions(:)
    integer(c_int64_t), allocatable, target :: times(:)
    integer(c_int32_t) :: code
    integer :: i
    call c_layouts_destroy(self%handle)
    self%handle = c_null_ptr
    self%type = type
    if (.not. allocated(self%tensors)) allocate (self%tensors(0))
    if (.not. allocated(self%contractions)) allocate (self%contractions(0))
    allocate (tensors(size(self%tensors)), expressions(size(self%contractions)))
    times = self%contractions%times
    do i = 1, size(tensors)
      tensors(i)%name = c_loc(self%tensors(i)%text)
      tensors(i)%order = size(self%tensors(i)%extents, kind=c_int32_t)
      if (tensors(i)%order > 0) tensors(i)%extents = c_loc(self%tensors(i)%extents)
    end do
    do i = 1, size(expressions)
      expressions(i) = c_loc(self%contractions(i)%text)
    end do
    wanted%size = c_sizeof(wanted)
    if (size(expressions) > 0) wanted%expressions = c_loc(expressions)
    if (size(times) > 0) wanted%times = c_loc(times)
    wanted%expression_count = size(expressions, kind=c_int32_t)
    if (size(tensors) > 0) wanted%tensors = c_loc(tensors)
    wanted%tensor_count = size(tensors, kind=c_int32_t)
    wanted%type = type
    wanted%ranks = int(ranks, c_int32_t)
    if (present(copies)) wanted%copies = merge(1_c_int32_t, 0_c_int32_t, copies)
    if (present(memory_per_rank)) wanted%memory_per_rank = memory_per_rank
    call read_options(own, code, options)
    if (code == tenfold_ok) code = c_plan_layouts(wanted, own, self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine plan

  !> Collective. Creates the tensor of this name in its distribution; the world has as many ranks as
  !> were planned for.
  subroutine create(self, name, world, tensor, stat, errmsg)
    class(planned_layouts), intent(in) :: self
    character(*), intent(in) :: name
    class(tenfold_world), intent(in) :: world
    type(dist_tensor), intent(inout) :: tensor
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: distribution
    integer(c_int32_t) :: code
    distribution = c_null_ptr
    code = c_layouts_of(self%handle, c_text(name), distribution)
    if (code == tenfold_ok) then
      call create_distributed(tensor, world, self%type, extents_of(self, name), distribution, code)
    else
      code = c_world_agree(world_handle(world), code, c_text(last_message(code)))
    end if
    call report(code, last_message(code), stat, errmsg)
    call c_distribution_destroy(distribution)
  end subroutine create

  !> The extents of a tensor that is there.
  function extents_of(self, name) result(extents)
    class(planned_layouts), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), allocatable :: extents(:)
    character(kind=c_char) :: wanted(len_trim(name) + 1)
    integer :: i
    wanted = c_text(name)
    allocate (extents(0))
    do i = 1, size(self%tensors)
      if (size(self%tensors(i)%text) /= size(wanted)) cycle
      if (all(self%tensors(i)%text == wanted)) extents = self%tensors(i)%extents
    end do
  end function extents_of

  !> Local. What the contractions take.
  function summary(self, stat, errmsg) result(found)
    class(planned_layouts), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(layouts_summary) :: found
    type(c_layouts_summary) :: own
    integer(c_int32_t) :: code
    own%size = c_sizeof(own)
    code = c_layouts_summarise(self%handle, own)
    found = layouts_summary(own%seconds, own%default_seconds, own%bytes_received, &
                            own%default_bytes_received, own%memory, own%default_memory)
    call report(code, last_message(code), stat, errmsg)
  end function summary

  !> Local. Forgets the plan, the tensors and the contractions.
  subroutine destroy(self)
    class(planned_layouts), intent(inout) :: self
    call c_layouts_destroy(self%handle)
    self%handle = c_null_ptr
    if (allocated(self%tensors)) deallocate (self%tensors)
    if (allocated(self%contractions)) deallocate (self%contractions)
  end subroutine destroy
end module tenfold_dist_layouts
