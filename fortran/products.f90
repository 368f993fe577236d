! Products of matrices, once or for many of one shape.
module tenfold_products
  use, intrinsic :: iso_c_binding
  use tenfold_arrays
  use tenfold_batches
  use tenfold_bindings
  use tenfold_calls
  use tenfold_contexts
  use tenfold_controls
  use tenfold_epilogues
  use tenfold_errors
  use tenfold_execution_bindings
  use tenfold_options
  use tenfold_plan_bindings
  implicit none
  private

  public :: gemm, gemm_batch, gemm_batch_reduce

  !> What C is given beside addresses. It refers to itself and to the call.
  type :: prepared_product
    type(c_product) :: shapes
    type(c_gemm_options) :: options
    type(c_control) :: control
    type(c_ptr) :: context = c_null_ptr
  end type prepared_product

contains

  !> C = alpha op(A) op(B) + beta C for matrices of one type, or of integer(int8) with C of
  !> integer(int32); they may be sections. op(A) is A, its transpose, its conjugate, or
  !> both. alpha is 1 and beta is 0 where they are absent; if beta is 0, C is not read. Of options, threads,
  !> backend, context, control and epilogue count, whose labels are m and n, as in "mn=mk*kn"; small products
  !> may ignore the control.
  subroutine gemm(a, b, c, alpha, beta, transpose_a, transpose_b, conj_a, conj_b, options, stat, errmsg)
    type(*), dimension(..), intent(in) :: a, b
    type(*), dimension(..), intent(inout) :: c
    class(*), intent(in), optional :: alpha, beta
    logical, intent(in), optional :: transpose_a, transpose_b, conj_a, conj_b
    type(contract_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments), target :: call
    type(prepared_product), target :: own
    call set_arrays(call, [described(a, conj_a), described(b, conj_b)], described(c), output_name='c')
    call set_product(call, alpha, beta, options)
    call prepare(call, own, transpose_a, transpose_b)
    if (call%code == tenfold_ok) &
      call take_outcome(call, c_gemm(own%context, own%shapes, call%inputs(1)%data, call%inputs(2)%data, &
                                     call%d%data, own%options))
    call c_product_epilogue_destroy(own%options%epilogue)
    call conclude(call, stat, errmsg)
  end subroutine gemm

  !> C(i) = alpha op(A(i)) op(B(i)) + beta C(i) for batches of real and complex matrices:
  !>     call gemm_batch(batch_of_slices(a), batch_of_one(b), batch_of_slices(c))
  !> No C(i) shares elements with another one, or with an input of any product.
  subroutine gemm_batch(a, b, c, alpha, beta, transpose_a, transpose_b, conj_a, conj_b, options, stat, errmsg)
    type(tensor_batch), intent(in) :: a, b, c
    class(*), intent(in), optional :: alpha, beta
    logical, intent(in), optional :: transpose_a, transpose_b, conj_a, conj_b
    type(contract_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments), target :: call
    type(prepared_product), target :: own
    if (c%count == 0 .and. max(a%count, b%count) <= 0 .and. &
        (has_no_shape(a) .or. has_no_shape(b) .or. has_no_shape(c))) then ! no product, and no shapes
      call set_scalars(call, alpha, beta)
      call conclude(call, stat, errmsg)
      return
    end if
    call set_arrays(call, [read_as(a%array, conj_a), read_as(b%array, conj_b)], c%array, output_name='c')
    call set_product(call, alpha, beta, options)
    if (c%count < 0) call note(call, 'c is one array for all products', tenfold_invalid_argument, 'c')
    call note(call, fault_of_batch(a, a%array, 'a', c%count, 'c'), tenfold_invalid_argument, 'a')
    call note(call, fault_of_batch(b, b%array, 'b', c%count, 'c'), tenfold_invalid_argument, 'b')
    call note(call, fault_of_batch(c, c%array, 'c', c%count), tenfold_invalid_argument, 'c')
    call prepare(call, own, transpose_a, transpose_b)
    if (call%code == tenfold_ok) &
      call take_outcome(call, c_gemm_batch(own%context, own%shapes, matrices_for_c(a, c%count), &
                                           matrices_for_c(b, c%count), matrices_for_c(c, c%count), own%options))
    call c_product_epilogue_destroy(own%options%epilogue)
    call conclude(call, stat, errmsg)
  end subroutine gemm_batch

  !> C = alpha * (the sum of op(A(i)) op(B(i)) over all i) + beta C, of the types of gemm.
  subroutine gemm_batch_reduce(a, b, c, alpha, beta, transpose_a, transpose_b, conj_a, conj_b, options, stat, &
                               errmsg)
    type(tensor_batch), intent(in) :: a, b
    type(*), dimension(..), intent(inout) :: c
    class(*), intent(in), optional :: alpha, beta
    logical, intent(in), optional :: transpose_a, transpose_b, conj_a, conj_b
    type(contract_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments), target :: call
    type(prepared_product), target :: own
    integer(c_int64_t) :: count
    count = max(a%count, b%count) ! -1 of one array for all products
    call note_no_shape(call, a, 'a')
    call note_no_shape(call, b, 'b')
    call set_arrays(call, [read_as(a%array, conj_a), read_as(b%array, conj_b)], described(c), output_name='c')
    call set_product(call, alpha, beta, options)
    if (count < 0) &
      call note(call, 'both a and b are one array for any number of products', tenfold_invalid_argument, 'a')
    call note(call, fault_of_batch(a, a%array, 'a', count, 'b'), tenfold_invalid_argument, 'a')
    call note(call, fault_of_batch(b, b%array, 'b', count, 'a'), tenfold_invalid_argument, 'b')
    call prepare(call, own, transpose_a, transpose_b)
    if (call%code == tenfold_ok) &
      call take_outcome(call, c_gemm_batch_reduce(own%context, own%shapes, matrices_for_c(a, count), &
                                                  matrices_for_c(b, count), call%d%data, own%options))
    call c_product_epilogue_destroy(own%options%epilogue)
    call conclude(call, stat, errmsg)
  end subroutine gemm_batch_reduce

  !> Notes a list of no arrays, which cannot be read as a sum of no products: there is no inner extent.
  subroutine note_no_shape(call, batch, name)
    type(call_arguments), intent(inout) :: call
    type(tensor_batch), intent(in) :: batch
    character(*), intent(in) :: name
    if (has_no_shape(batch)) &
      call note(call, name // ' is a list of no arrays, which have no shape; pass a section without slices', &
                tenfold_invalid_argument, name)
  end subroutine note_no_shape

  function read_as(array, conj) result(read)
    type(described_array), intent(in) :: array
    logical, intent(in), optional :: conj
    type(described_array) :: read
    read = array
    if (present(conj)) read%conjugated = merge(1_c_int32_t, 0_c_int32_t, conj)
  end function read_as

  !> Scalars and options, and what is no matrix.
  subroutine set_product(call, alpha, beta, options)
    type(call_arguments), intent(inout) :: call
    class(*), intent(in), optional :: alpha, beta
    type(contract_options), intent(in), optional :: options
    call set_scalars(call, alpha, beta)
    if (present(options)) call%options = options
    call check_matrix(call, call%inputs(1), 'a')
    call check_matrix(call, call%inputs(2), 'b')
    call check_matrix(call, call%d, 'c')
    call check_types(call)
  end subroutine set_product

  !> Notes an array that is no matrix.
  subroutine check_matrix(call, array, name)
    type(call_arguments), intent(inout) :: call
    type(described_array), intent(in) :: array
    character(*), intent(in) :: name
    character(12) :: order
    if (array%type < 0) return
    if (array%order /= 2) then
      write (order, '(i0)') array%order
      call note(call, name // ' has ' // trim(order) // ' dimensions; a matrix has 2', &
                tenfold_order_mismatch, name)
    end if
  end subroutine check_matrix

  !> Notes types that do not go together: all are one, or a and b are i8 and c is i32.
  subroutine check_types(call)
    type(call_arguments), intent(inout) :: call
    if (call%code /= tenfold_ok) return
    call check_input(call, call%inputs(1)%type, 'a')
    call check_input(call, call%inputs(2)%type, 'b')
    if (call%inputs(1)%type /= call%inputs(2)%type) &
      call refuse_types(call, call%inputs(2)%type, 'b', call%inputs(1)%type, 'a')
  end subroutine check_types

  subroutine check_input(call, type, name)
    type(call_arguments), intent(inout) :: call
    integer(c_int32_t), intent(in) :: type
    character(*), intent(in) :: name
    if (call%d%type /= merge(tenfold_i32, type, type == tenfold_i8)) &
      call refuse_types(call, type, name, call%d%type, 'c')
  end subroutine check_input

  subroutine refuse_types(call, type, name, other, name_of_other)
    type(call_arguments), intent(inout) :: call
    integer(c_int32_t), intent(in) :: type, other
    character(*), intent(in) :: name, name_of_other
    call note(call, name // ' is ' // text_of(c_type_name(type)) // ', ' // name_of_other // ' is ' // &
              text_of(c_type_name(other)) // '; gemm takes matrices of one type, or of i8 with c of i32', &
              tenfold_type_mismatch, name)
  end subroutine refuse_types

  !> Shapes and options as C has them. The epilogue is to be destroyed.
  subroutine prepare(call, own, transpose_a, transpose_b)
    type(call_arguments), intent(inout), target :: call
    type(prepared_product), intent(inout), target :: own
    logical, intent(in), optional :: transpose_a, transpose_b
    character(:), allocatable :: fault
    if (call%code /= tenfold_ok) return
    call make_product_epilogue(call%options%epilogue, call%d, own%options%epilogue, call%code, fault)
    call note(call, fault, tenfold_unsupported, 'epilogue')
    if (call%code == tenfold_ok) call context_handle(call%options%context, own%context, call%code)
    if (call%code /= tenfold_ok) return
    own%shapes%type = call%inputs(1)%type
    own%shapes%a = matrix_of(call%inputs(1), transpose_a)
    own%shapes%b = matrix_of(call%inputs(2), transpose_b)
    own%shapes%c = matrix_of(call%d)
    own%options%size = c_sizeof(own%options)
    if (call%has_alpha) own%options%alpha = c_loc(call%alpha)
    if (call%has_beta) own%options%beta = c_loc(call%beta)
    own%options%conj_a = call%inputs(1)%conjugated
    own%options%conj_b = call%inputs(2)%conjugated
    own%options%threads = int(call%options%threads, c_int32_t)
    own%options%backend = int(call%options%backend, c_int32_t)
    own%options%control = control_for_c(call%options%control, own%control)
  end subroutine prepare

  !> A batch as C has it. Refers to the argument.
  function matrices_for_c(batch, count) result(own)
    type(tensor_batch), intent(in) :: batch
    integer(c_int64_t), intent(in) :: count
    type(c_matrix_batch) :: own
    type(c_batch_tensor) :: tensor
    tensor = batch_for_c(batch)
    own%count = count
    own%data = tensor%first
    own%stride = tensor%stride
    own%addresses = tensor%addresses
  end function matrices_for_c

  function matrix_of(array, transposed) result(matrix)
    type(described_array), intent(in) :: array
    logical, intent(in), optional :: transposed
    type(c_matrix) :: matrix
    matrix = c_matrix(array%extents(1), array%extents(2), array%strides(1), array%strides(2))
    if (.not. present(transposed)) return
    if (transposed) matrix = c_matrix(array%extents(2), array%extents(1), array%strides(2), &
                                      array%strides(1))
  end function matrix_of
end module tenfold_products
