! Tests products of matrices, and batches of them.
module product_tests
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, real32, real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_product_tests

contains

  subroutine run_product_tests()
    call of_all_types()
    call transposed_and_sections()
    call of_integers()
    call with_epilogues()
    call batches()
    call empty_batches()
    call controlled()
    call errors()
  end subroutine run_product_tests

  subroutine of_all_types()
    real(real64) :: a(4, 5), b(5, 3), c(4, 3)
    real(real32) :: a32(4, 5), b32(5, 3), c32(4, 3)
    complex(real64) :: az(4, 5), bz(5, 3), cz(4, 3)
    complex(real32) :: ac(4, 5), bc(5, 3), cc(4, 3)
    integer :: i, j
    a = reshape([((number_at(i, j, 1), i=1, 4), j=1, 5)], [4, 5])
    b = reshape([((number_at(i, j, 2), i=1, 5), j=1, 3)], [5, 3])
    a32 = real(a, real32)
    b32 = real(b, real32)
    az = cmplx(a, a + 1, real64)
    bz = cmplx(b, 2 - b, real64)
    ac = cmplx(a, a + 1, real32)
    bc = cmplx(b, 2 - b, real32)
    call gemm(a, b, c)
    call check(all(c == matmul(a, b)), 'gemm of real64')
    call gemm(a, b, c, alpha=2, beta=-1)
    call check(all(c == matmul(a, b)), 'alpha and beta')
    call gemm(a32, b32, c32)
    call check(all(c32 == matmul(a32, b32)), 'gemm of real32')
    call gemm(az, bz, cz, conj_a=.true.)
    call check(all(cz == matmul(conjg(az), bz)), 'gemm of complex(real64), conjugated')
    call gemm(ac, bc, cc, alpha=(0.0, 1.0), conj_b=.true.)
    call check(all(cc == (0, 1) * matmul(ac, conjg(bc))), 'gemm of complex(real32), conjugated')
  end subroutine of_all_types

  subroutine transposed_and_sections()
    real(real64) :: a(8, 10), b(3, 5), c(12, 6)
    integer :: i, j
    a = reshape([((number_at(i, j, 1), i=1, 8), j=1, 10)], [8, 10])
    b = reshape([((number_at(i, j, 2), i=1, 3), j=1, 5)], [3, 5])
    c = 77
    call gemm(a(8:2:-2, ::2), b, c(1:10:3, 2:6:2), transpose_b=.true.)
    call check(all(c(1:10:3, 2:6:2) == matmul(a(8:2:-2, ::2), transpose(b))), 'sections')
    call check(all(c(2::3, :) == 77) .and. all(c(:, 1::2) == 77), 'nothing between was written')
    call gemm(a(:5, :4), b, c(:4, :3), transpose_a=.true., transpose_b=.true.)
    call check(all(c(:4, :3) == matmul(transpose(a(:5, :4)), transpose(b))), 'two transposed matrices')
  end subroutine transposed_and_sections

  subroutine of_integers()
    integer(int8) :: a(4, 5), b(5, 3), narrow(4, 3)
    integer(int32) :: c(4, 3), wide(5, 3)
    integer :: i, j, stat
    character(200) :: message
    a = int(reshape([((number_at(i, j, 1), i=1, 4), j=1, 5)], [4, 5]), int8)
    b = int(reshape([((number_at(i, j, 2), i=1, 5), j=1, 3)], [5, 3]), int8)
    c = 1
    call gemm(a, b, c, alpha=2, beta=3)
    call check(all(c == 2 * matmul(int(a, int32), int(b, int32)) + 3), 'gemm of integer(int8)')
    narrow = 7
    wide = 1
    call gemm(a, b, narrow, stat=stat, errmsg=message)
    call check_code(int(tenfold_type_mismatch), stat, 'c of integer(int8)')
    call check_text('a is i8, c is i8; gemm takes matrices of one type, or of i8 with c of i32', message)
    call check(all(narrow == 7), 'which was not written')
    call gemm(a, wide, c, stat=stat, errmsg=message)
    call check_text('b is i32, a is i8', message)
  end subroutine of_integers

  subroutine with_epilogues()
    type(contract_options) :: options
    real(real64), target :: a(4, 5), b(5, 3), c(4, 3), rows(4), columns(3), whole(3, 4), expected(4, 3)
    integer :: i, j
    a = reshape([((number_at(i, j, 1), i=1, 4), j=1, 5)], [4, 5])
    b = reshape([((number_at(i, j, 2), i=1, 5), j=1, 3)], [5, 3])
    rows = [1, 2, 3, 4]
    columns = [10, 20, 30]
    whole = reshape([((number_at(i, j, 3), i=1, 3), j=1, 4)], [3, 4])
    call options%epilogue%add("m", rows)
    call options%epilogue%add("n", columns, factor=2)
    call options%epilogue%multiply("nm", whole)
    call options%epilogue%scale(0.5)
    call options%epilogue%apply(tenfold_relu)
    call gemm(a, b, c, options=options)
    expected = matmul(a, b)
    do j = 1, 3
      expected(:, j) = max(0.0_real64, (expected(:, j) + rows + 2 * columns(j)) * whole(j, :) / 2)
    end do
    call check(all(c == expected), 'gemm with an epilogue')
  end subroutine with_epilogues

  subroutine batches()
    real(real64), target :: a(4, 5, 6), b(5, 3), d(3, 5, 6), c(4, 3, 6), sum(4, 3)
    complex(real32), target :: x(2, 2, 3), y(2, 2, 3)
    integer(int8), target :: small(2, 2, 3)
    integer(int32) :: total(2, 2)
    type(contract_options) :: options
    real(real64), target :: columns(3)
    character(200) :: message
    integer :: i, j, l, stat
    logical :: equal
    a = reshape([(((number_at(i, j, l), i=1, 4), j=1, 5), l=1, 6)], [4, 5, 6])
    b = reshape([((number_at(i, j, 9), i=1, 5), j=1, 3)], [5, 3])
    d = reshape([(((number_at(i, j, l + 7), i=1, 3), j=1, 5), l=1, 6)], [3, 5, 6])
    c = 1
    columns = [1, 2, 3]
    call options%epilogue%add("n", columns)
    call gemm_batch(batch_of_slices(a), batch_of_one(b), batch_of_slices(c), alpha=2, beta=3, options=options)
    equal = .true.
    do l = 1, 6
      equal = equal .and. all(c(:, :, l) == 2 * matmul(a(:, :, l), b) + 3 + spread(columns, 1, 4))
    end do
    call check(equal, 'a batch of products')
    call gemm_batch(batch_of_views([view(a(:, :, 5)), view(a(:, :, 2))]), batch_of_slices(d(:, :, ::3)), &
                    batch_of_slices(c(:, :, 3:4)), transpose_b=.true.)
    call check(all(c(:, :, 3) == matmul(a(:, :, 5), transpose(d(:, :, 1)))) .and. &
               all(c(:, :, 4) == matmul(a(:, :, 2), transpose(d(:, :, 4)))), 'matrices that lie anywhere')
    x = (1, 2)
    call gemm_batch(batch_of_slices(x), batch_of_slices(x), batch_of_slices(y), conj_a=.true.)
    call check(all(y == 10), 'conjugated matrices of a batch')
    call gemm_batch_reduce(batch_of_slices(a), batch_of_slices(d), sum, transpose_b=.true.)
    c(:, :, 1) = 0
    do l = 1, 6
      c(:, :, 1) = c(:, :, 1) + matmul(a(:, :, l), transpose(d(:, :, l)))
    end do
    call check(all(sum == c(:, :, 1)), 'a sum of products')
    small = -1_int8
    small(1, 2, :) = 100_int8
    call gemm_batch_reduce(batch_of_slices(small), batch_of_slices(small), total)
    call check(all(total == 3 * matmul(int(small(:, :, 1), int32), int(small(:, :, 1), int32))), 'a sum of integers')
    c = 5
    call gemm_batch(batch_of_slices(a(:, :, :4)), batch_of_one(b), batch_of_slices(c), stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'batches of two lengths')
    call check_text('a is a batch of 4, but c is a batch of 6', message)
    call gemm_batch(batch_of_slices(a), batch_of_one(b), batch_of_one(sum), stat=stat, errmsg=message)
    call check_text('c is one array for all products', message)
    call gemm_batch_reduce(batch_of_one(a(:, :, 1)), batch_of_one(b), sum, stat=stat, errmsg=message)
    call check_text('both a and b are one array', message)
    call gemm_batch(batch_of_slices(a(:, 1, :)), batch_of_one(b), batch_of_slices(c), stat=stat, errmsg=message)
    call check_text('a has 1 dimensions; a matrix has 2', message)
    call check(all(c == 5), 'nothing was written')
  end subroutine batches

  !> Lists that a loop filled with nothing.
  subroutine empty_batches()
    real(real64), target :: a(4, 5, 6), b(5, 3), c(4, 3, 6), sum(4, 3)
    type(tensor_view) :: none(0)
    character(200) :: message
    integer :: stat
    a = 1
    b = 1
    c = 5
    sum = 5
    call gemm_batch(batch_of_views(none), batch_of_one(b), batch_of_views(none), stat=stat)
    call check_code(0, stat, 'no views of a and c')
    call gemm_batch(batch_of_slices(a(:, :, 1:0)), batch_of_views(none), batch_of_slices(c(:, :, 1:0)), stat=stat)
    call check_code(0, stat, 'no views of b')
    call gemm_batch(batch_of_views(none), batch_of_one(b), batch_of_views(none), alpha='x', stat=stat)
    call check_code(int(tenfold_type_mismatch), stat, 'no views, and no number')
    call gemm_batch(batch_of_views(none), batch_of_one(b), batch_of_slices(c), stat=stat)
    call check(stat /= 0, 'no views of a for six products')
    call gemm_batch_reduce(batch_of_slices(a(:, :, 1:0)), batch_of_one(b), sum, beta=2, stat=stat)
    call check_code(0, stat, 'a sum of no slices')
    call check(all(sum == 10), 'what beta says')
    call gemm_batch_reduce(batch_of_views(none), batch_of_one(b), sum, stat=stat, errmsg=message)
    call check_code(int(tenfold_invalid_argument), stat, 'a sum of no views')
    call check_text('a is a list of no arrays', message)
    call check(all(c == 5) .and. all(sum == 10), 'nothing was written')
  end subroutine empty_batches

  subroutine controlled()
    type(contract_options) :: options
    type(stop_token) :: stop
    integer, parameter :: n = 20
    real(real64) :: a(n, n), b(n, n), c(2 * n, n)
    integer :: stat
    a = 1
    b = 2
    options%threads = 1
    options%backend = tenfold_backend_native
    call options%context%create(threads=1)
    call gemm(a, b, c(::2, :), options=options)
    call check(all(c(::2, :) == 40), 'gemm with options')
    call stop%create()
    call stop%request()
    options%control%stop = stop
    ! Small products may ignore a stop, but no short cut for them takes a C with gaps along both
    ! dimensions, on any machine.
    call gemm(a, b, c(::2, :), options=options, stat=stat)
    call check_code(int(tenfold_stopped), stat, 'a product that is stopped')
    call check(all(c(::2, :) == 40), 'before it began')
    call stop%destroy()
    call options%context%destroy()
  end subroutine controlled

  subroutine errors()
    type(contract_options) :: options
    type(error_details) :: why
    real(real64), target :: a(4, 5), b(6, 3), c(4, 3), bias(3)
    real(real32) :: narrow(5, 3)
    character(200) :: message
    integer(int16) :: whole(5, 3)
    integer :: stat
    a = 1
    b = 1
    c = 5
    narrow = 1
    whole = 1
    bias = 1
    call gemm(a, b, c, stat=stat)
    call check_code(int(tenfold_extent_mismatch), stat, 'extents of matrices')
    why = last_error()
    call check(why%label == 'k' .and. why%first%extent == 5 .and. why%second%extent == 6, 'both extents')
    call gemm(a, b(:5, 1), c, stat=stat, errmsg=message)
    call check_code(int(tenfold_order_mismatch), stat, 'a vector')
    call check_text('b has 1 dimensions; a matrix has 2', message)
    call gemm(a, narrow, c, stat=stat, errmsg=message)
    call check_code(int(tenfold_type_mismatch), stat, 'another type')
    call check_text('b is f32, c is f64; gemm takes matrices of one type', message)
    why = last_error()
    call check(why%first%name == 'b' .and. why%code == tenfold_type_mismatch, 'the argument at fault')
    call gemm(a, whole, c, stat=stat, errmsg=message)
    call check_text('b has elements of another type', message)
    call gemm(a, b(:5, :), c, alpha=(1.0, 2.0), stat=stat)
    call check_code(int(tenfold_type_mismatch), stat, 'a complex alpha')
    call gemm(a, b(:5, :), c, beta='x', stat=stat, errmsg=message)
    call check_text('beta is no real', message)
    call gemm(c, b(:3, :), c, stat=stat)
    call check_code(int(tenfold_overlap), stat, 'C is A')
    call options%epilogue%add("k", bias)
    call gemm(a, b(:5, :), c, options=options, stat=stat, errmsg=message)
    call check_code(int(tenfold_unsupported), stat, 'an epilogue with other labels')
    call check_text("'k' is no label of a product's epilogue", message)
    call options%epilogue%clear()
    call options%epilogue%add("m", bias)
    call gemm(a, b(:5, :), c, options=options, stat=stat, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), stat, 'an epilogue of another extent')
    call options%epilogue%clear()
    call options%epilogue%add("mn", bias)
    call gemm(a, b(:5, :), c, options=options, stat=stat, errmsg=message)
    call check_text('another number of dimensions than labels', message)
    call check(all(c == 5), 'nothing was written')
  end subroutine errors
end module product_tests
