! Epilogues: element-wise steps on D before its elements are stored for the last time.
module tenfold_epilogues
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_errors
  use tenfold_execution_bindings
  implicit none
  private

  public :: contraction_epilogue, function_of_f32, function_of_f64, make_epilogue, &
            destroy_epilogue, make_product_epilogue, has_steps, steps_agree, step_addresses

  integer, parameter, public :: tenfold_relu = 0, tenfold_exp = 1, tenfold_tanh = 2
  integer, parameter, public :: tenfold_sigmoid = 3, tenfold_gelu_tanh = 4, tenfold_gelu_erf = 5

  integer, parameter :: does_scale = 1, does_add = 2, does_multiply = 3, does_apply = 4
  integer, parameter :: does_call_f32 = 5, does_call_f64 = 6

  abstract interface
    !> Replaces elements of D, which lie side by side, by functions of themselves. Several threads
    !> call it at once, for runs of any length and in any order.
    subroutine function_of_f32(elements)
      import :: real32
      real(real32), intent(inout) :: elements(:)
    end subroutine function_of_f32
    subroutine function_of_f64(elements)
      import :: real64
      real(real64), intent(inout) :: elements(:)
    end subroutine function_of_f64
  end interface

  type :: step
    integer :: kind = 0
    complex(c_double_complex) :: factor = 1
    character(kind=c_char), allocatable :: labels(:) !< ends with c_null_char
    type(described_array) :: array
    integer :: function = 0
    procedure(function_of_f32), pointer, nopass :: f32 => null()
    procedure(function_of_f64), pointer, nopass :: f64 => null()
  end type step

  !> At most 8 steps, which are applied in order to every element of D: D = f(alpha op(A) op(B) +
  !> beta op(C)). It refers to arrays, which must have the attribute target, and exist, whenever it
  !> is used; otherwise it is a value like any other. Functions are for real arrays only.
  type :: contraction_epilogue
    private
    type(step), allocatable :: steps(:)
  contains
    procedure :: scale => add_scale
    procedure :: add => add_sum
    procedure :: multiply => add_product
    procedure :: apply => add_function
    procedure :: call_f32 => add_call_of_f32
    procedure :: call_f64 => add_call_of_f64
    procedure :: clear
  end type contraction_epilogue

contains

  subroutine append(self, new)
    class(contraction_epilogue), intent(inout) :: self
    type(step), intent(in) :: new
    type(step), allocatable :: more(:)
    integer :: count
    count = 0
    if (allocated(self%steps)) count = size(self%steps)
    allocate (more(count + 1))
    if (count > 0) more(:count) = self%steps
    more(count + 1) = new
    call move_alloc(more, self%steps)
  end subroutine append

  !> d = factor * d.
  subroutine add_scale(self, factor, stat, errmsg)
    class(contraction_epilogue), intent(inout) :: self
    class(*), intent(in) :: factor
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(step) :: new
    new%kind = does_scale
    call append_scaled(self, new, factor, stat, errmsg)
  end subroutine add_scale

  !> d = d + factor * array, along the labels of the array, some or all of D's: "b", "[occ,vir]", or
  !> "" for a scalar. Whether it goes with D is found out where the epilogue is used.
  subroutine add_sum(self, labels, array, factor, conj, stat, errmsg)
    class(contraction_epilogue), intent(inout) :: self
    character(*), intent(in) :: labels
    type(*), dimension(..), intent(in), target :: array
    class(*), intent(in), optional :: factor
    logical, intent(in), optional :: conj
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(step) :: new
    new%kind = does_add
    new%labels = c_text(labels)
    new%array = described(array, conj)
    call append_scaled(self, new, factor, stat, errmsg)
  end subroutine add_sum

  !> d = d * factor * array.
  subroutine add_product(self, labels, array, factor, conj, stat, errmsg)
    class(contraction_epilogue), intent(inout) :: self
    character(*), intent(in) :: labels
    type(*), dimension(..), intent(in), target :: array
    class(*), intent(in), optional :: factor
    logical, intent(in), optional :: conj
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(step) :: new
    new%kind = does_multiply
    new%labels = c_text(labels)
    new%array = described(array, conj)
    call append_scaled(self, new, factor, stat, errmsg)
  end subroutine add_product

  !> Appends a step unless its factor is no number or its array cannot be used.
  subroutine append_scaled(self, new, factor, stat, errmsg)
    class(contraction_epilogue), intent(inout) :: self
    type(step), intent(inout) :: new
    class(*), intent(in), optional :: factor
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: is_number
    character(:), allocatable :: message
    message = ''
    if (allocated(new%labels)) message = fault_of(new%array, "the epilogue's array")
    if (present(factor)) then
      call read_scalar(factor, new%factor, is_number)
      if (.not. is_number) message = 'factor is no real, complex or integer number'
    end if
    if (message == '') then
      call append(self, new)
      call report(tenfold_ok, '', stat, errmsg)
    else
      call keep_error(tenfold_type_mismatch, message, '')
      call report(tenfold_type_mismatch, message, stat, errmsg)
    end if
  end subroutine append_scaled

  !> d = function(d), which is one of tenfold_relu and so on.
  subroutine add_function(self, function)
    class(contraction_epilogue), intent(inout) :: self
    integer, intent(in) :: function
    type(step) :: new
    new%kind = does_apply
    new%function = function
    call append(self, new)
  end subroutine add_function

  !> d = a function of a module's, for arrays of real(real32).
  subroutine add_call_of_f32(self, function)
    class(contraction_epilogue), intent(inout) :: self
    procedure(function_of_f32) :: function
    type(step) :: new
    new%kind = does_call_f32
    new%f32 => function
    call append(self, new)
  end subroutine add_call_of_f32

  !> The same for arrays of real(real64).
  subroutine add_call_of_f64(self, function)
    class(contraction_epilogue), intent(inout) :: self
    procedure(function_of_f64) :: function
    type(step) :: new
    new%kind = does_call_f64
    new%f64 => function
    call append(self, new)
  end subroutine add_call_of_f64

  !> Forgets all steps.
  subroutine clear(self)
    class(contraction_epilogue), intent(inout) :: self
    if (allocated(self%steps)) deallocate (self%steps)
  end subroutine clear

  !> The epilogue as C has it; null if it has no steps. Refers to the argument.
  subroutine make_epilogue(epilogue, handle, code)
    type(contraction_epilogue), intent(in), target :: epilogue
    type(c_ptr), intent(out) :: handle
    integer(c_int32_t), intent(out) :: code
    integer :: i
    handle = c_null_ptr
    code = tenfold_ok
    if (.not. allocated(epilogue%steps)) return
    code = c_epilogue_create(handle)
    do i = 1, size(epilogue%steps)
      if (code /= tenfold_ok) exit
      code = added(handle, epilogue%steps(i))
    end do
    if (code == tenfold_ok) return
    call destroy_epilogue(handle)
  end subroutine make_epilogue

  function added(handle, new) result(code)
    type(c_ptr), intent(in) :: handle
    type(step), intent(in), target :: new
    integer(c_int32_t) :: code
    type(c_tensor), target :: tensor
    select case (new%kind)
    case (does_scale)
      code = c_epilogue_scale(handle, new%factor)
    case (does_add)
      tensor = tensor_of(new%array)
      code = c_epilogue_add(handle, new%labels, c_loc(tensor), new%array%data, new%factor)
    case (does_multiply)
      tensor = tensor_of(new%array)
      code = c_epilogue_multiply(handle, new%labels, c_loc(tensor), new%array%data, new%factor)
    case (does_apply)
      code = c_epilogue_apply(handle, int(new%function, c_int32_t))
    case (does_call_f32)
      code = c_epilogue_call(handle, tenfold_f32, c_funloc(call_of_f32), c_loc(new))
    case default
      code = c_epilogue_call(handle, tenfold_f64, c_funloc(call_of_f64), c_loc(new))
    end select
  end function added

  subroutine call_of_f32(elements, count, user) bind(C)
    type(c_ptr), value :: elements, user
    integer(c_int64_t), value :: count
    type(step), pointer :: what
    real(real32), pointer :: run(:)
    call c_f_pointer(user, what)
    call c_f_pointer(elements, run, [count])
    call what%f32(run)
  end subroutine call_of_f32

  subroutine call_of_f64(elements, count, user) bind(C)
    type(c_ptr), value :: elements, user
    integer(c_int64_t), value :: count
    type(step), pointer :: what
    real(real64), pointer :: run(:)
    call c_f_pointer(user, what)
    call c_f_pointer(elements, run, [count])
    call what%f64(run)
  end subroutine call_of_f64

  !> The epilogue of a product of matrices, whose output has the labels m and n, as C has it; null if
  !> it has no steps. fault: what C cannot express, or ''. Refers to the argument.
  subroutine make_product_epilogue(epilogue, c, handle, code, fault)
    type(contraction_epilogue), intent(in), target :: epilogue
    type(described_array), intent(in) :: c
    type(c_ptr), intent(out) :: handle
    integer(c_int32_t), intent(out) :: code
    character(:), allocatable, intent(out) :: fault
    integer :: i
    handle = c_null_ptr
    code = tenfold_ok
    fault = ''
    if (.not. allocated(epilogue%steps)) return
    code = c_product_epilogue_create(handle)
    do i = 1, size(epilogue%steps)
      if (code == tenfold_ok .and. fault == '') call add_to_product(handle, epilogue%steps(i), c, code, fault)
    end do
    if (code == tenfold_ok .and. fault == '') return
    call c_product_epilogue_destroy(handle)
    handle = c_null_ptr
  end subroutine make_product_epilogue

  subroutine add_to_product(handle, new, c, code, fault)
    type(c_ptr), intent(in) :: handle
    type(step), intent(in), target :: new
    type(described_array), intent(in) :: c
    integer(c_int32_t), intent(out) :: code
    character(:), allocatable, intent(inout) :: fault
    type(c_matrix) :: matrix
    code = tenfold_ok
    if (allocated(new%labels)) call spread_out(new, c, matrix, fault)
    if (fault /= '') return
    select case (new%kind)
    case (does_scale)
      code = c_product_epilogue_scale(handle, new%factor)
    case (does_add)
      code = c_product_epilogue_add(handle, new%array%type, matrix, new%array%data, new%factor)
    case (does_multiply)
      code = c_product_epilogue_multiply(handle, new%array%type, matrix, new%array%data, new%factor)
    case (does_apply)
      code = c_product_epilogue_apply(handle, int(new%function, c_int32_t))
    case (does_call_f32)
      code = c_product_epilogue_call(handle, tenfold_f32, c_funloc(call_of_f32), c_loc(new))
    case default
      code = c_product_epilogue_call(handle, tenfold_f64, c_funloc(call_of_f64), c_loc(new))
    end select
  end subroutine add_to_product

  !> The array of a step as a matrix of C's shape: along a label that it lacks it does not change.
  subroutine spread_out(new, c, matrix, fault)
    type(step), intent(in) :: new
    type(described_array), intent(in) :: c
    type(c_matrix), intent(out) :: matrix
    character(:), allocatable, intent(inout) :: fault
    integer :: mode
    matrix%rows = c%extents(1)
    matrix%columns = c%extents(2)
    if (new%array%conjugated /= 0) then
      fault = 'the epilogue of a product of matrices reads no conjugates'
    else if (new%array%order /= size(new%labels) - 1) then
      fault = 'an array of the epilogue has another number of dimensions than labels; those of a product are m and n'
    end if
    if (fault /= '') return
    do mode = 1, new%array%order
      select case (new%labels(mode))
      case ('m')
        matrix%rows = new%array%extents(mode)
        matrix%row_stride = new%array%strides(mode)
      case ('n')
        matrix%columns = new%array%extents(mode)
        matrix%column_stride = new%array%strides(mode)
      case default
        fault = "'" // new%labels(mode) // "' is no label of a product's epilogue, which are m and n"
      end select
    end do
    if (new%array%order == 2) then
      if (new%labels(1) == new%labels(2)) fault = 'an array of the epilogue has one label twice'
    end if
  end subroutine spread_out

  subroutine destroy_epilogue(handle)
    type(c_ptr), intent(inout) :: handle
    call c_epilogue_destroy(handle)
    handle = c_null_ptr
  end subroutine destroy_epilogue

  pure logical function has_steps(epilogue)
    type(contraction_epilogue), intent(in) :: epilogue
    has_steps = allocated(epilogue%steps)
  end function has_steps

  !> Whether two epilogues differ at most in the addresses of their arrays and in their procedures.
  logical function steps_agree(one, other)
    type(contraction_epilogue), intent(in) :: one, other
    integer :: i
    steps_agree = allocated(one%steps) .eqv. allocated(other%steps)
    if (.not. steps_agree .or. .not. allocated(one%steps)) return
    steps_agree = size(one%steps) == size(other%steps)
    if (.not. steps_agree) return
    do i = 1, size(one%steps)
      steps_agree = step_agrees(one%steps(i), other%steps(i))
      if (.not. steps_agree) return
    end do
  end function steps_agree

  logical function step_agrees(one, other)
    type(step), intent(in) :: one, other
    step_agrees = one%kind == other%kind .and. abs(one%factor - other%factor) <= 0 .and. &
                  one%function == other%function
    if (.not. step_agrees .or. .not. allocated(one%labels)) return
    step_agrees = size(one%labels) == size(other%labels)
    if (.not. step_agrees) return
    step_agrees = all(one%labels == other%labels) .and. lie_alike(one%array, other%array) .and. &
                  one%array%conjugated == other%array%conjugated
  end function step_agrees

  !> What an execution of a plan is given for each of some steps: the address of its array, or the
  !> step for one that calls. Refers to the argument.
  function step_addresses(epilogue) result(addresses)
    type(contraction_epilogue), intent(in), target :: epilogue
    type(c_ptr), allocatable :: addresses(:)
    integer :: i
    allocate (addresses(size(epilogue%steps)))
    do i = 1, size(addresses)
      select case (epilogue%steps(i)%kind)
      case (does_add, does_multiply)
        addresses(i) = epilogue%steps(i)%array%data
      case (does_call_f32, does_call_f64)
        addresses(i) = c_loc(epilogue%steps(i))
      case default
        addresses(i) = c_null_ptr
      end select
    end do
  end function step_addresses
end module tenfold_epilogues
