! Products of matrices.
module tenfold_products
  use, intrinsic :: iso_c_binding
  use tenfold_arrays
  use tenfold_bindings
  use tenfold_calls
  use tenfold_contexts
  use tenfold_controls
  use tenfold_epilogues
  use tenfold_errors
  use tenfold_options
  use tenfold_plan_bindings
  implicit none
  private

  public :: gemm

contains

  !> C = alpha op(A) op(B) + beta C for matrices of one type, which may be sections: op(A) is A, its
  !> transpose, its conjugate, or both. alpha is 1 and beta is 0 where they are absent; if beta is 0,
  !> C is not read. Of options, threads, backend, context and control count; small products may ignore
  !> the control.
  subroutine gemm(a, b, c, alpha, beta, transpose_a, transpose_b, conj_a, conj_b, options, stat, errmsg)
    type(*), dimension(..), intent(in) :: a, b
    type(*), dimension(..), intent(inout) :: c
    class(*), intent(in), optional :: alpha, beta
    logical, intent(in), optional :: transpose_a, transpose_b, conj_a, conj_b
    type(contract_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(call_arguments) :: call
    call set_arrays(call, [described(a, conj_a), described(b, conj_b)], described(c), output_name='c')
    call set_scalars(call, alpha, beta)
    if (present(options)) call%options = options
    call check_matrix(call, call%inputs(1), 'a')
    call check_matrix(call, call%inputs(2), 'b')
    call check_matrix(call, call%d, 'c')
    if (has_steps(call%options%epilogue)) &
      call note(call, 'gemm takes no epilogue; contract("mn=mk*kn", ...) does', tenfold_unsupported)
    call multiply(call, transpose_a, transpose_b)
    call conclude(call, stat, errmsg)
  end subroutine gemm

  !> Notes an array that is no matrix of C's type.
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
    else if (call%d%type >= 0 .and. array%type /= call%d%type) then
      call note(call, name // ' is ' // text_of(c_type_name(array%type)) // ', c is ' // &
                text_of(c_type_name(call%d%type)) // '; gemm takes matrices of one type', &
                tenfold_type_mismatch, name)
    end if
  end subroutine check_matrix

  subroutine multiply(call, transpose_a, transpose_b)
    type(call_arguments), intent(inout), target :: call
    logical, intent(in), optional :: transpose_a, transpose_b
    type(c_product) :: shapes
    type(c_gemm_options) :: options
    type(c_control), target :: control
    type(c_ptr) :: context
    if (call%code /= tenfold_ok) return
    call context_handle(call%options%context, context, call%code)
    if (call%code /= tenfold_ok) return
    shapes%type = call%d%type
    shapes%a = matrix_of(call%inputs(1), transpose_a)
    shapes%b = matrix_of(call%inputs(2), transpose_b)
    shapes%c = matrix_of(call%d)
    options%size = c_sizeof(options)
    if (call%has_alpha) options%alpha = c_loc(call%alpha)
    if (call%has_beta) options%beta = c_loc(call%beta)
    options%conj_a = call%inputs(1)%conjugated
    options%conj_b = call%inputs(2)%conjugated
    options%threads = int(call%options%threads, c_int32_t)
    options%backend = int(call%options%backend, c_int32_t)
    options%control = control_for_c(call%options%control, control)
    call take_outcome(call, c_gemm(context, shapes, call%inputs(1)%data, call%inputs(2)%data, &
                                   call%d%data, options))
  end subroutine multiply

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
