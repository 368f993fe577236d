! Arrays as the library sees them: address, type, extents, strides. Sections are not copied.
module tenfold_arrays
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use tenfold_bindings
  use tenfold_errors
  implicit none
  private

  public :: view, tensor_view, read_scalar, fault_of, tensor_of, described, lie_alike

  !> Element types, for messages and for distributed tensors. Fortran has no kinds for bf16, f16 and u8.
  integer(c_int32_t), parameter, public :: tenfold_f32 = 0, tenfold_f64 = 1
  integer(c_int32_t), parameter, public :: tenfold_c32 = 2, tenfold_c64 = 3
  integer(c_int32_t), parameter, public :: tenfold_bf16 = 4, tenfold_f16 = 5
  integer(c_int32_t), parameter, public :: tenfold_i8 = 64, tenfold_u8 = 65, tenfold_i32 = 66

  !> What fortran/describe.hpp calls faults.
  integer(c_int32_t), parameter :: other_type = -1, assumed_size = -2, odd_stride = -3

  !> An array, or a section of one, that procedures for any number of inputs take in a list.
  type :: tensor_view
    type(described_array) :: array
  end type tensor_view

contains

  !> A view of an array, which must have the attribute target, and exist, as long as the view is
  !> used. With conj, its complex conjugate is read.
  function view(array, conj)
    type(*), dimension(..), intent(in), target :: array
    logical, intent(in), optional :: conj
    type(tensor_view) :: view
    view%array = described(array, conj)
  end function view

  function described(array, conj) result(found)
    type(*), dimension(..), intent(in) :: array
    logical, intent(in), optional :: conj
    type(described_array) :: found
    call describe(array, found)
    if (present(conj)) found%conjugated = merge(1_c_int32_t, 0_c_int32_t, conj)
  end function described

  !> Why an array cannot be used, or ''.
  function fault_of(array, name) result(message)
    type(described_array), intent(in) :: array
    character(*), intent(in) :: name
    character(:), allocatable :: message
    select case (array%type)
    case (other_type)
      message = name // ' has elements of another type than real(real32), real(real64), ' // &
                'complex(real32), complex(real64), integer(int8) and integer(int32)'
    case (assumed_size)
      message = name // ' is an assumed-size array, whose last extent is unknown; pass a section ' // &
                'with an upper bound'
    case (odd_stride)
      message = name // ' is a section whose neighbours are no whole number of elements apart'
    case default
      message = ''
    end select
  end function fault_of

  !> The array as C describes it. Refers to its extents and strides.
  function tensor_of(array) result(tensor)
    type(described_array), intent(in), target :: array
    type(c_tensor) :: tensor
    tensor = c_tensor(array%type, array%order, c_loc(array%extents), c_loc(array%strides), &
                      array%conjugated)
  end function tensor_of

  !> Whether a plan that was made for one array serves another one.
  pure logical function lie_alike(one, other)
    type(described_array), intent(in) :: one, other
    integer :: n
    lie_alike = one%type == other%type .and. one%order == other%order
    if (.not. lie_alike) return
    n = one%order
    lie_alike = all(one%extents(:n) == other%extents(:n)) .and. &
                all(one%strides(:n) == other%strides(:n) .or. one%extents(:n) == 1)
  end function lie_alike

  !> A number of any of the types that alpha and beta may have: integers of any kind, which are rounded
  !> to real64, beside the kinds that arrays have. is_number is false for others.
  subroutine read_scalar(given, number, is_number)
    class(*), intent(in) :: given
    complex(c_double_complex), intent(out) :: number
    logical, intent(out) :: is_number
    is_number = .true.
    select type (given)
    type is (real(real64))
      number = cmplx(given, 0, real64)
    type is (real(real32))
      number = cmplx(given, 0, real64)
    type is (complex(real64))
      number = given
    type is (complex(real32))
      number = cmplx(given, kind=real64)
    type is (integer(int8))
      number = cmplx(given, 0, real64)
    type is (integer(int16))
      number = cmplx(given, 0, real64)
    type is (integer(int32))
      number = cmplx(given, 0, real64)
    type is (integer(int64))
      number = cmplx(given, 0, real64)
    class default
      number = 0
      is_number = .false.
    end select
  end subroutine read_scalar
end module tenfold_arrays
