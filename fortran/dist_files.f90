! Distributed tensors in files.
module tenfold_dist_files
  use, intrinsic :: iso_c_binding
  use tenfold_dist_bindings
  use tenfold_dist_tensors
  use tenfold_dist_worlds
  use tenfold_errors
  implicit none
  private

  public :: dist_save, dist_load, dist_save_hdf5, dist_load_hdf5, named_tensor

  !> A tensor and its name in a file, to which blanks at its end do not belong.
  type :: named_tensor
    character(:), allocatable :: name
    type(dist_tensor) :: tensor
  end type named_tensor

contains

  !> Collective. Saves tensors in one checkpoint, which any number of ranks can load.
  subroutine dist_save(world, file, tensors, stat, errmsg)
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in) :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move(c_dist_save, world, file, tensors, stat, errmsg)
  end subroutine dist_save

  !> Collective. Loads some or all tensors of a checkpoint into tensors of the same shapes.
  subroutine dist_load(world, file, tensors, stat, errmsg)
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in) :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move(c_dist_load, world, file, tensors, stat, errmsg)
  end subroutine dist_load

  !> Collective. Datasets of an HDF5 file; names are paths.
  subroutine dist_save_hdf5(world, file, tensors, stat, errmsg)
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in) :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move(c_dist_save_hdf5, world, file, tensors, stat, errmsg)
  end subroutine dist_save_hdf5

  subroutine dist_load_hdf5(world, file, tensors, stat, errmsg)
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in) :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call move(c_dist_load_hdf5, world, file, tensors, stat, errmsg)
  end subroutine dist_load_hdf5

  !> Calls a function of C that moves tensors to a file or from one.
  subroutine move(by, world, file, tensors, stat, errmsg)
    procedure(c_dist_save) :: by
    type(tenfold_world), intent(in) :: world
    character(*), intent(in) :: file
    type(named_tensor), intent(in), target :: tensors(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_named_tensor) :: own(size(tensors))
    character(kind=c_char), allocatable, target :: names(:, :)
    integer :: i, longest, length
    integer(c_int32_t) :: code
    longest = 0
    do i = 1, size(tensors)
      if (allocated(tensors(i)%name)) longest = max(longest, len_trim(tensors(i)%name))
    end do
    allocate (names(longest + 1, size(tensors)))
    names = c_null_char
    do i = 1, size(tensors)
      own(i)%tensor = tensor_handle(tensors(i)%tensor)
      if (.not. allocated(tensors(i)%name)) cycle ! NULL, which is refused on all ranks
      length = len_trim(tensors(i)%name)
      names(:length, i) = transfer(tensors(i)%name, names, length)
      own(i)%name = c_loc(names(1, i))
    end do
    code = by(world_handle(world), c_text(file), own, size(own, kind=c_int32_t), c_null_ptr)
    call report(code, last_message(code), stat, errmsg)
  end subroutine move
end module tenfold_dist_files
