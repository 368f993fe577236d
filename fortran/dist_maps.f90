! Elements of distributed tensors that a function of the caller's computes from those of other tensors.
module tenfold_dist_maps
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use tenfold_arrays, only: tenfold_bf16, tenfold_f16
  use tenfold_dist_bindings
  use tenfold_dist_numbers
  use tenfold_dist_operation_bindings
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_map, map_function

  abstract interface
    !> The element at a position of the whole tensor, whose indices begin at 1, from the elements of
    !> the inputs there, in their order.
    function map_function(position, inputs) result(element)
      import :: int64, real64
      integer(int64), intent(in) :: position(:)
      complex(real64), intent(in) :: inputs(:)
      complex(real64) :: element
    end function map_function
  end interface

  !> What dist_map() passes through C.
  type :: mapping
    procedure(map_function), pointer, nopass :: element => null()
    integer :: order = 0
    integer(c_int32_t) :: type = -1 !< of the output
    integer(c_int32_t), allocatable :: types(:) !< of the inputs
    complex(real64), allocatable :: numbers(:) !< their elements at one position
  end type mapping

contains

  !> Collective. d = element(position, inputs), position by position, from tensors of d's shape, of any
  !> types and in any distributions; d may be one of them. Each rank calls the function for the elements
  !> that it owns; of several copies, ranks of the first one do. For a real d the real part counts; for
  !> one of integers it must be one of them. tenfold_unsupported for a d of bf16 and f16: map to a
  !> tensor of f32, and convert it.
  subroutine dist_map(d, inputs, element, stat, errmsg)
    type(dist_tensor), intent(in) :: d
    type(dist_tensor), intent(in) :: inputs(:)
    procedure(map_function) :: element
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(mapping), target :: how
    type(c_ptr) :: handles(size(inputs))
    integer(c_int32_t) :: code
    integer :: i
    how%element => element
    allocate (how%types(size(inputs)), how%numbers(size(inputs)))
    do i = 1, size(inputs)
      handles(i) = tensor_handle(inputs(i))
      call look_at(handles(i), how%types(i))
    end do
    call look_at(tensor_handle(d), how%type, how%order)
    if (how%type == tenfold_bf16 .or. how%type == tenfold_f16) then
      code = refuse(d, tenfold_unsupported, &
                    'functions do not map to tensors of bf16 and f16; map to one of f32, and convert it')
    else
      code = c_dist_map(tensor_handle(d), handles, size(handles, kind=c_int32_t), c_funloc(map_element), &
                        c_loc(how))
    end if
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_map

  !> -1 as the type of a tensor that was not created, which C refuses.
  subroutine look_at(tensor, type, order)
    type(c_ptr), intent(in) :: tensor
    integer(c_int32_t), intent(out) :: type
    integer, intent(out), optional :: order
    type(c_dist_part) :: part
    type = -1
    part%size = c_sizeof(part)
    if (c_dist_local(tensor, part) == tenfold_ok) type = part%type
    if (present(order)) order = int(part%order)
  end subroutine look_at

  function map_element(position, inputs, element, user) bind(C) result(code)
    type(c_ptr), value :: position, inputs, element, user
    integer(c_int32_t) :: code
    type(mapping), pointer :: how
    integer(c_int64_t), pointer :: indices(:)
    type(c_ptr), pointer :: elements(:)
    integer :: i
    call c_f_pointer(user, how)
    call c_f_pointer(position, indices, [how%order])
    call c_f_pointer(inputs, elements, [size(how%types)])
    do i = 1, size(how%types)
      how%numbers(i) = number_of(elements(i), how%types(i))
    end do
    call set_number(element, how%type, how%element(indices + 1, how%numbers), code)
  end function map_element
end module tenfold_dist_maps
