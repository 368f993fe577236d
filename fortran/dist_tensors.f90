! Tensors that are spread over the ranks of a world.
module tenfold_dist_tensors
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_dist_bindings
  use tenfold_dist_distributions
  use tenfold_dist_fillings
  use tenfold_dist_operation_bindings, only: c_dist_gather_slice
  use tenfold_dist_plan_bindings
  use tenfold_dist_transfers
  use tenfold_dist_worlds
  use tenfold_errors
  implicit none
  private

  public :: create_distributed
  public :: dist_tensor, dot, tensor_handle, refuse, place_of

  !> A tensor of any of the types. A copy refers to the same tensor; destroy it once.
  type :: dist_tensor
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_of_integers
    procedure, private :: create_of_long_integers
    procedure, private :: create_by_distribution
    generic :: create => create_of_integers, create_of_long_integers, create_by_distribution
    procedure :: destroy => destroy_tensor
    procedure :: fill
    procedure :: fill_by
    procedure :: read => read_slice
    procedure :: gather_slice
    procedure :: write => write_slice
    procedure :: gather
    procedure :: scatter
    procedure, private :: redistribute_by_grid
    procedure, private :: redistribute_to
    generic :: redistribute => redistribute_by_grid, redistribute_to
    procedure :: distribution
    procedure :: copies
    procedure :: refresh
    procedure :: norm
    procedure :: save_npy
    procedure :: load_npy
  end type dist_tensor

contains

  function tensor_handle(tensor) result(handle)
    type(dist_tensor), intent(in) :: tensor
    type(c_ptr) :: handle
    handle = tensor%handle
  end function tensor_handle

  !> Collective. A tensor of zeros. type: tenfold_f64 and so on, also tenfold_bf16, tenfold_f16 and
  !> tenfold_u8, which arrays of Fortran cannot have: they are filled by numbers and converted by
  !> contractions.
  !> grid: into how many blocks each mode is cut; without it, as by default. copies: how many equal
  !> copies are kept, each of them cut in this way and on ranks of its own; 1 without it.
  subroutine create_of_long_integers(self, world, type, extents, grid, copies, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    class(tenfold_world), intent(in) :: world
    integer(c_int32_t), intent(in) :: type
    integer(int64), intent(in) :: extents(:)
    integer, intent(in), optional :: grid(:), copies
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: distribution
    integer(c_int32_t) :: code
    call make_distribution(world_handle(world), extents, distribution, code, grid, copies)
    call create_distributed(self, world, type, extents, distribution, code)
    call report(code, last_message(code), stat, errmsg)
    call c_distribution_destroy(distribution)
  end subroutine create_of_long_integers

  !> Collective. The same in a distribution, which has as many ranks as the world.
  subroutine create_by_distribution(self, world, type, distribution, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    class(tenfold_world), intent(in) :: world
    integer(c_int32_t), intent(in) :: type
    class(tensor_distribution), intent(in) :: distribution
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = tenfold_ok
    if (.not. c_associated(distribution_handle(distribution))) &
      code = c_world_agree(world_handle(world), tenfold_invalid_argument, &
                           c_text('the distribution was not created'))
    call create_distributed(self, world, type, distribution%extents(), distribution_handle(distribution), code)
    call report(code, last_message(code), stat, errmsg)
  end subroutine create_by_distribution

  !> The same in a distribution, or the default for null, unless `code` tells of a failure before.
  subroutine create_distributed(self, world, type, extents, distribution, code)
    class(dist_tensor), intent(inout) :: self
    class(tenfold_world), intent(in) :: world
    integer(c_int32_t), intent(in) :: type
    integer(int64), intent(in) :: extents(:)
    type(c_ptr), intent(in) :: distribution
    integer(c_int32_t), intent(inout) :: code
    call self%destroy()
    if (code == tenfold_ok) &
      code = c_dist_create(world_handle(world), type, size(extents, kind=c_int32_t), extents, &
                           distribution, self%handle)
  end subroutine create_distributed

  subroutine create_of_integers(self, world, type, extents, grid, copies, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    class(tenfold_world), intent(in) :: world
    integer(c_int32_t), intent(in) :: type
    integer, intent(in) :: extents(:)
    integer, intent(in), optional :: grid(:), copies
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%create_of_long_integers(world, type, int(extents, int64), grid, copies, stat, errmsg)
  end subroutine create_of_integers

  !> Lets the collective call of the other ranks fail, because this one cannot make it.
  function refuse(tensor, code, message) result(agreed)
    class(dist_tensor), intent(in) :: tensor
    integer(c_int32_t), intent(in) :: code
    character(*), intent(in) :: message
    integer(c_int32_t) :: agreed
    agreed = refuse_call(tensor%handle, code, message)
  end function refuse

  subroutine destroy_tensor(self)
    class(dist_tensor), intent(inout) :: self
    call c_dist_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy_tensor

  !> Collective. Sets all elements to a real, complex or integer number.
  subroutine fill(self, value, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    class(*), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(c_double_complex) :: number
    logical :: is_number
    integer(c_int32_t) :: code
    call read_scalar(value, number, is_number)
    if (is_number) then
      code = c_dist_fill(self%handle, number)
    else
      code = refuse(self, tenfold_type_mismatch, 'the value is no real, complex or integer number')
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine fill

  !> Collective. Each rank calls the function for the elements that it owns; of several copies, ranks
  !> of the first one do. For a real tensor the real part counts; for one of integers it must be one
  !> of them. tenfold_unsupported for bf16 and f16: fill a tensor of f32, and convert it.
  subroutine fill_by(self, element, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    procedure(element_function) :: element
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(filling), target :: how
    type(c_dist_part) :: part
    integer(c_int32_t) :: code
    part%size = c_sizeof(part)
    code = c_dist_local(self%handle, part)
    if (code == tenfold_ok .and. (part%type == tenfold_bf16 .or. part%type == tenfold_f16)) then
      code = refuse(self, tenfold_unsupported, &
                    'functions do not fill tensors of bf16 and f16; fill one of f32, and convert it by a contraction')
    else if (code == tenfold_ok) then
      how%element => element
      how%order = part%order
      how%type = part%type
      code = c_dist_fill_by(self%handle, c_funloc(fill_element), c_loc(how))
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine fill_by

  !> Collective. Reads the slice that begins at the position `first` (indices from 1) and has the
  !> shape of `array`, which each rank chooses for itself. A rank that passes neither reads nothing.
  subroutine read_slice(self, first, array, stat, errmsg)
    class(dist_tensor), intent(in) :: self
    integer(int64), intent(in), optional :: first(:)
    type(*), dimension(..), intent(inout), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    if (present(array)) then
      call move_slice(c_dist_read, self%handle, code, first, described(array))
    else
      call move_slice(c_dist_read, self%handle, code)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine read_slice

  !> Collective. All ranks read the same slice, into arrays of their own, with fewer messages.
  subroutine gather_slice(self, first, array, stat, errmsg)
    class(dist_tensor), intent(in) :: self
    integer(int64), intent(in) :: first(:)
    type(*), dimension(..), intent(inout) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call move_slice(c_dist_gather_slice, self%handle, code, first, described(array))
    call report(code, last_message(code), stat, errmsg)
  end subroutine gather_slice

  !> Collective. Writes a slice likewise. No two ranks write the same element.
  subroutine write_slice(self, first, array, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    integer(int64), intent(in), optional :: first(:)
    type(*), dimension(..), intent(in), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    if (present(array)) then
      call move_slice(c_dist_write, self%handle, code, first, described(array))
    else
      call move_slice(c_dist_write, self%handle, code)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine write_slice

  !> Collective. Reads the whole tensor into an array on rank `root` (from 0), which alone needs to
  !> pass one.
  subroutine gather(self, root, array, stat, errmsg)
    class(dist_tensor), intent(in) :: self
    integer, intent(in) :: root
    type(*), dimension(..), intent(inout), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    if (present(array)) then
      call move_whole(c_dist_gather, self%handle, root, code, described(array))
    else
      call move_whole(c_dist_gather, self%handle, root, code)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine gather

  !> Collective. Sets the whole tensor from an array on rank `root`.
  subroutine scatter(self, root, array, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    integer, intent(in) :: root
    type(*), dimension(..), intent(in), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    if (present(array)) then
      call move_whole(c_dist_scatter, self%handle, root, code, described(array))
    else
      call move_whole(c_dist_scatter, self%handle, root, code)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine scatter

  !> Collective. Cuts the modes into other numbers of blocks, in one copy or in several.
  subroutine redistribute_by_grid(self, grid, copies, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    integer, intent(in) :: grid(:)
    integer, intent(in), optional :: copies
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    type(c_ptr) :: world, distribution
    integer(c_int64_t), pointer :: extents(:)
    integer(c_int32_t) :: code
    world = c_null_ptr
    distribution = c_null_ptr
    part%size = c_sizeof(part)
    code = c_dist_local(self%handle, part)
    if (code == tenfold_ok) code = c_dist_world(self%handle, world)
    if (code == tenfold_ok) then
      call c_f_pointer(part%tensor_extents, extents, [part%order])
      call make_distribution(world, extents, distribution, code, grid, copies)
    end if
    if (code == tenfold_ok) call lie_as(self, distribution, code)
    call report(code, last_message(code), stat, errmsg)
    call c_distribution_destroy(distribution)
    call c_world_destroy(world)
  end subroutine redistribute_by_grid

  !> Collective. Moves the tensor to a distribution, as one of a plan is.
  subroutine redistribute_to(self, distribution, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    class(tensor_distribution), intent(in) :: distribution
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    call lie_as(self, distribution_handle(distribution), code)
    call report(code, last_message(code), stat, errmsg)
  end subroutine redistribute_to

  subroutine lie_as(tensor, distribution, code)
    class(dist_tensor), intent(inout) :: tensor
    type(c_ptr), intent(in) :: distribution
    integer(c_int32_t), intent(out) :: code
    type(c_ptr) :: made
    code = c_dist_redistribute(tensor%handle, distribution, made)
    if (code /= tenfold_ok) return
    call c_dist_destroy(tensor%handle)
    tensor%handle = made
  end subroutine lie_as

  !> Local. Where the tensor lies, as a copy that is to be destroyed.
  function distribution(self, stat, errmsg) result(found)
    class(dist_tensor), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(tensor_distribution) :: found
    type(c_ptr) :: own
    integer(c_int32_t) :: code
    own = c_null_ptr
    code = c_dist_distribution(self%handle, own)
    found = distribution_from(own)
    call report(code, last_message(code), stat, errmsg)
  end function distribution

  !> Local. How many equal copies are kept; 0 unless the tensor was created.
  integer function copies(self)
    class(dist_tensor), intent(in) :: self
    copies = copies_of(self%handle)
  end function copies

  !> Collective. Makes all copies equal to the first one, after blocks of dist_local_to_write() were
  !> written, or after a contraction that was stopped. Moves nothing if there is one copy.
  subroutine refresh(self, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_refresh(self%handle)
    call report(code, last_message(code), stat, errmsg)
  end subroutine refresh

  !> Collective. Square root of the sum of |x|**2; the same bits on every rank.
  function norm(self, stat, errmsg)
    class(dist_tensor), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64) :: norm
    integer(c_int32_t) :: code
    norm = 0
    code = c_dist_norm(self%handle, norm)
    call report(code, last_message(code), stat, errmsg)
  end function norm

  !> Collective. Sum of conjg(a) * b.
  function dot(a, b, stat, errmsg)
    type(dist_tensor), intent(in) :: a, b
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real64) :: dot
    integer(c_int32_t) :: code
    dot = 0
    code = c_dist_dot(a%handle, b%handle, dot)
    call report(code, last_message(code), stat, errmsg)
  end function dot

  !> Collective. An .npy file of NumPy: axis i is dimension i + 1.
  subroutine save_npy(self, file, stat, errmsg)
    class(dist_tensor), intent(in) :: self
    character(*), intent(in) :: file
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_save_npy(c_text(file), self%handle, c_null_ptr)
    call report(code, last_message(code), stat, errmsg)
  end subroutine save_npy

  !> Collective. Reads an .npy file into a tensor of its shape.
  subroutine load_npy(self, file, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    character(*), intent(in) :: file
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: code
    code = c_dist_load_npy(c_text(file), self%handle, c_null_ptr)
    call report(code, last_message(code), stat, errmsg)
  end subroutine load_npy
end module tenfold_dist_tensors
