! Tensors that are spread over the ranks of a world.
module tenfold_dist_tensors
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_dist_bindings
  use tenfold_dist_distributions
  use tenfold_dist_fillings
  use tenfold_dist_plan_bindings
  use tenfold_dist_worlds
  use tenfold_errors
  implicit none
  private

  public :: create_distributed
  public :: dist_tensor, dot, tensor_handle, refuse, place_of

  !> A tensor of one of the four types. A copy refers to the same tensor; destroy it once.
  type :: dist_tensor
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_of_integers
    procedure, private :: create_of_long_integers
    generic :: create => create_of_integers, create_of_long_integers
    procedure :: destroy => destroy_tensor
    procedure :: fill
    procedure :: fill_by
    procedure :: read => read_slice
    procedure :: write => write_slice
    procedure :: gather
    procedure :: scatter
    procedure :: redistribute
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

  !> Collective. A tensor of zeros. type: tenfold_f32, tenfold_f64, tenfold_c32 or tenfold_c64.
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
    type(c_ptr) :: world
    agreed = c_dist_world(tensor%handle, world)
    if (agreed /= tenfold_ok) return
    agreed = c_world_agree(world, code, c_text(message))
    call c_world_destroy(world)
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
  !> of the first one do. For a real tensor the real part counts.
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
    if (code == tenfold_ok) then
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
    type(described_array) :: found
    type(c_tensor), target :: to
    integer(c_int64_t), allocatable, target :: offsets(:)
    integer(c_int32_t) :: code
    if (present(array)) then
      found = described(array)
      call check_array(self, found, code, first)
      if (code == tenfold_ok) then
        to = tensor_of(found)
        offsets = first - 1
        code = c_dist_read(self%handle, place_of(offsets), c_loc(to), found%data)
      end if
    else
      code = c_dist_read(self%handle, c_null_ptr, c_null_ptr, c_null_ptr)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine read_slice

  !> Collective. Writes a slice likewise. No two ranks write the same element.
  subroutine write_slice(self, first, array, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    integer(int64), intent(in), optional :: first(:)
    type(*), dimension(..), intent(in), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(described_array) :: found
    type(c_tensor), target :: from
    integer(c_int64_t), allocatable, target :: offsets(:)
    integer(c_int32_t) :: code
    if (present(array)) then
      found = described(array)
      call check_array(self, found, code, first)
      if (code == tenfold_ok) then
        from = tensor_of(found)
        offsets = first - 1
        code = c_dist_write(self%handle, place_of(offsets), c_loc(from), found%data)
      end if
    else
      code = c_dist_write(self%handle, c_null_ptr, c_null_ptr, c_null_ptr)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine write_slice

  !> The address of offsets or of a position, which may be none.
  function place_of(offsets) result(place)
    integer(c_int64_t), intent(in), target :: offsets(:)
    type(c_ptr) :: place
    place = c_null_ptr
    if (size(offsets) > 0) place = c_loc(offsets)
  end function place_of

  !> Refuses, on all ranks, an array that cannot be used, or that has no position.
  subroutine check_array(self, array, code, first)
    class(dist_tensor), intent(in) :: self
    type(described_array), intent(in) :: array
    integer(c_int32_t), intent(out) :: code
    integer(int64), intent(in), optional :: first(:)
    character(:), allocatable :: message
    code = tenfold_ok
    message = fault_of(array, 'the array')
    if (message /= '') then
      code = refuse(self, tenfold_type_mismatch, message)
    else if (.not. present(first)) then
      code = refuse(self, tenfold_invalid_argument, 'the array has no position: first is absent')
    else if (size(first) /= array%order) then
      code = refuse(self, tenfold_order_mismatch, &
                    'first has another number of indices than the array has dimensions')
    end if
  end subroutine check_array

  !> Collective. Reads the whole tensor into an array on rank `root` (from 0), which alone needs to
  !> pass one.
  subroutine gather(self, root, array, stat, errmsg)
    class(dist_tensor), intent(in) :: self
    integer, intent(in) :: root
    type(*), dimension(..), intent(inout), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(described_array) :: found
    type(c_tensor), target :: to
    integer(c_int32_t) :: code
    if (present(array)) then
      found = described(array)
      if (fault_of(found, 'the array') /= '') then
        code = refuse(self, tenfold_type_mismatch, fault_of(found, 'the array'))
      else
        to = tensor_of(found)
        code = c_dist_gather(self%handle, int(root, c_int32_t), c_loc(to), found%data)
      end if
    else
      code = c_dist_gather(self%handle, int(root, c_int32_t), c_null_ptr, c_null_ptr)
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
    type(described_array) :: found
    type(c_tensor), target :: from
    integer(c_int32_t) :: code
    if (present(array)) then
      found = described(array)
      if (fault_of(found, 'the array') /= '') then
        code = refuse(self, tenfold_type_mismatch, fault_of(found, 'the array'))
      else
        from = tensor_of(found)
        code = c_dist_scatter(self%handle, int(root, c_int32_t), c_loc(from), found%data)
      end if
    else
      code = c_dist_scatter(self%handle, int(root, c_int32_t), c_null_ptr, c_null_ptr)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine scatter

  !> Collective. Cuts the modes into other numbers of blocks, in one copy or in several.
  subroutine redistribute(self, grid, copies, stat, errmsg)
    class(dist_tensor), intent(inout) :: self
    integer, intent(in) :: grid(:)
    integer, intent(in), optional :: copies
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_part) :: part
    type(c_ptr) :: world, distribution, made
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
    if (code == tenfold_ok) code = c_dist_redistribute(self%handle, distribution, made)
    if (code == tenfold_ok) then
      call c_dist_destroy(self%handle)
      self%handle = made
    end if
    call report(code, last_message(code), stat, errmsg)
    call c_distribution_destroy(distribution)
    call c_world_destroy(world)
  end subroutine redistribute

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
