! Sums of distributed tensors, and slices of them that are permuted. All procedures are collective.
module tenfold_dist_combinations
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_arrays
  use tenfold_dist_operation_bindings
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_term, dist_combine, dist_slice, dist_transpose

  !> A tensor with a factor: dist_term(2, x).
  type :: dist_term
    complex(real64) :: factor = 1
    type(dist_tensor) :: tensor
  end type dist_term

  !> A box of positions: dist_slice([3, 1], [2, 5]) begins at position (3, 1) and has 2 x 5 elements.
  type :: dist_slice
    integer(int64), allocatable :: first(:)
    integer(int64), allocatable :: extents(:)
  end type dist_slice

contains

  !> d = the sum of factor * tensor over all terms, of one type and shape, in any distributions. d may
  !> be a term, too: its factor is applied first, and the others are added in their order.
  subroutine dist_combine(terms, d, stat, errmsg)
    type(dist_term), intent(in) :: terms(:)
    type(dist_tensor), intent(in) :: d
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_term) :: own(size(terms))
    integer(c_int32_t) :: code
    integer :: i
    do i = 1, size(terms)
      own(i)%factor = terms(i)%factor
      own(i)%tensor = tensor_handle(terms(i)%tensor)
    end do
    code = c_dist_combine(own, size(own, kind=c_int32_t), tensor_handle(d))
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_combine

  !> b(of_b) = alpha * a(of_a), permuted by an expression as "ba=ab", + beta * b(of_b). Without a slice
  !> the whole tensor is meant; slices are the same on all ranks. alpha is 1, and beta is 0, or 1 if
  !> the expression says "+=" or "-=". a and b may be one tensor if the slices share no element.
  subroutine dist_transpose(expression, a, b, of_a, of_b, alpha, beta, stat, errmsg)
    character(*), intent(in) :: expression
    type(dist_tensor), intent(in) :: a, b
    type(dist_slice), intent(in), optional :: of_a, of_b
    class(*), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_dist_transpose_options), target :: options
    type(slice_for_c), target :: slice_a, slice_b
    complex(c_double_complex), target :: factors(2)
    character(:), allocatable :: fault
    integer(c_int32_t) :: code
    fault = ''
    factors = 0
    options%size = c_sizeof(options)
    if (present(alpha)) call set_factor(alpha, 'alpha', factors(1), options%alpha, fault)
    if (present(beta)) call set_factor(beta, 'beta', factors(2), options%beta, fault)
    if (fault == '') then
      code = c_dist_transpose(c_text(expression), tensor_handle(a), place_of_slice(slice_a, of_a), &
                              tensor_handle(b), place_of_slice(slice_b, of_b), options)
    else
      code = refuse(b, tenfold_type_mismatch, fault)
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_transpose

  subroutine set_factor(given, name, factor, place, fault)
    class(*), intent(in) :: given
    character(*), intent(in) :: name
    complex(c_double_complex), intent(out), target :: factor
    type(c_ptr), intent(out) :: place
    character(:), allocatable, intent(inout) :: fault
    logical :: is_number
    call read_scalar(given, factor, is_number)
    place = c_loc(factor)
    if (.not. is_number) fault = name // ' is no real, complex or integer number'
  end subroutine set_factor

  !> The address of a slice in C's form, which refers to `own`; null without one.
  function place_of_slice(own, slice) result(place)
    type(slice_for_c), intent(inout), target :: own
    type(dist_slice), intent(in), optional :: slice
    type(c_ptr) :: place
    integer :: modes
    place = c_null_ptr
    if (.not. present(slice)) return
    modes = 0
    if (allocated(slice%extents)) modes = size(slice%extents)
    own%own%order = -1_c_int32_t ! which is refused
    if (allocated(slice%first)) then
      if (size(slice%first) == modes .and. modes <= size(own%extents)) own%own%order = int(modes, c_int32_t)
    end if
    if (own%own%order >= 0) then
      own%extents(:modes) = slice%extents(:modes)
      own%offsets(:modes) = slice%first(:modes) - 1
    end if
    own%own%offsets = c_loc(own%offsets)
    own%own%extents = c_loc(own%extents)
    place = c_loc(own%own)
  end function place_of_slice
end module tenfold_dist_combinations
