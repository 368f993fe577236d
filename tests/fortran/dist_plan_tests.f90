! Tests plans and records of distributed contractions, distributions, and contractions of several types.
module dist_plan_tests
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use checks
  use dist_elements
  use tenfold
  use tenfold_dist
  implicit none
  private

  public :: test_plans, test_records, test_conjugated_plans, test_distributions, test_mixtures

contains

  subroutine test_plans(everyone, a, b, d)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor), intent(in) :: a, b, d
    type(dist_plan) :: plan, half
    type(dist_plan_summary) :: summary
    type(dist_plan_step) :: step
    type(dist_options) :: options
    type(tensor_distribution) :: square, lies
    type(dist_tensor) :: moved
    integer(int64) :: hash, received
    character(200) :: message
    integer :: code, i, here, ranks
    call plan%create("mn=mk*kn", [dist_input(a), dist_input(b)], d)
    summary = plan%summary()
    call check(summary%ranks == everyone%ranks() .and. summary%steps == 1, 'the summary of a plan')
    call check(summary%m == 6 .and. summary%n == 5 .and. summary%k == 7, 'its sizes')
    call check(abs(summary%flops - 2 * 6 * 5 * 7) <= 0 .and. summary%flops_per_rank > 0, 'its flops')
    call check_text('grid batch x m x n x k', plan%explain())
    call check_text('{"ranks":', plan%json())
    step = plan%step(1)
    call check(step%expression == "mn=mk*kn" .and. size(step%operands) == 2, 'its only step')
    call check(all(step%operands == [1, 2]), 'what that multiplies')
    hash = plan%hash()
    call plan%create("mn=mk*kn", [dist_input(a), dist_input(b)], d)
    call check(plan%hash() == hash, 'the same plan has the same hash')
    lies = plan%distribution(1)
    call check(lies%ranks() == everyone%ranks(), 'where an input needs not be moved')
    call moved%create(everyone, tenfold_f64, lies)
    call dist_copy(a, moved)
    call moved%redistribute(lies)
    call check(moved%norm() == a%norm(), 'a tensor that lies as a plan wants it')
    call moved%destroy()
    call lies%destroy()

    ! For four ranks, of which there may be fewer.
    call square%create([64, 64], 4)
    options%grid = [1, 2, 2, 1]
    call plan%create("mn=mk*kn", [tenfold_f32, tenfold_f32, tenfold_f32], [square, square, square], options=options)
    summary = plan%summary()
    received = summary%bytes_received
    call half%create("mn=mk*kn", [tenfold_bf16, tenfold_bf16, tenfold_f32], [square, square, square], &
                     options=options)
    summary = half%summary()
    call check(received > 0 .and. 2 * summary%bytes_received == received, 'bf16 is sent as it is stored')
    call check(summary%ranks_per_node == 0 .and. summary%nodes == 1, 'a plan for one node')
    options%grid = [1, 1, 4, 1]
    options%ranks_per_node = 2
    call plan%create("mn=mk*kn", [(tenfold_f64, i=1, 3)], [square, square, square], options=options)
    summary = plan%summary()
    call check(summary%ranks_per_node == 2 .and. summary%nodes == 2, 'a plan for two nodes')
    call check(summary%between_nodes_bytes == 64 * 64 / 2 * 8, 'half of an input comes from the other node once')
    options%ranks_per_node = -2
    call plan%create("mn=mk*kn", [(tenfold_f64, i=1, 3)], [square, square, square], options=options, stat=code, &
                     errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a negative number of ranks')
    call check_text('ranks_per_node is -2', message)
    here = everyone%ranks_per_node()
    ranks = everyone%ranks()
    call check(here >= 0 .and. here < ranks, 'ranks of a node')
    call plan%create("ad=ab*bc*cd", [(tenfold_f64, i=1, 4)], [(square, i=1, 4)])
    summary = plan%summary()
    call check(summary%steps == 2 .and. summary%flops_at_once > summary%flops, 'a plan of three inputs')
    step = plan%step(2)
    call check(any(step%operands == 4), 'its second step takes the result of the first one')
    call check(step%summary%m == 64 .and. step%summary%beside_bytes > 0, 'numbers of a step')
    lies = plan%distribution(3, step=2)
    call check(all(lies%extents() == [64, 64]), 'where the result of a step lies')
    call lies%destroy()

    lies = plan%distribution(1, stat=code)
    call check_code(int(tenfold_unsupported), code, 'layouts of three inputs')
    step = plan%step(3, stat=code, errmsg=message)
    call check_text('there is no step 2; the plan has 2', message)
    call plan%create("mn=mk*kn", [tenfold_f64, tenfold_f32, tenfold_f32], [square, square, square], stat=code, &
                     errmsg=message)
    call check_code(int(tenfold_type_mismatch), code, 'types that do not go together')
    call check_text('A is f64 and D is f32', message)
    call plan%create("mn=mk*kn", [tenfold_f64], [square, square, square], stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'too few types')
    summary = plan%summary(stat=code, errmsg=message)
    call check_text('plan is NULL', message)
    call check(plan%explain() == '', 'the text of nothing')
    call check(plan%json() == '', 'the JSON of nothing')
    call plan%destroy()
    call half%destroy()
    call square%destroy()
  end subroutine test_plans

  !> a is 6 x 7, b is 7 x 5.
  subroutine test_records(everyone, a, b)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor), intent(in) :: a, b
    type(dist_tensor) :: c, d
    type(dist_record) :: record
    type(dist_report) :: whole, step
    type(dist_plan) :: plan
    type(dist_plan_summary) :: summary
    type(dist_options) :: options
    real(real64) :: found(6, 5), expected(6, 5)
    integer(int64) :: received
    character(200) :: message
    integer :: code, i, j, k
    call d%create(everyone, tenfold_f64, [6, 5])
    expected = matmul(reshape([((number_at(i, k, 1), i=1, 6), k=1, 7)], [6, 7]), &
                      reshape([((number_at(k, j, 2), k=1, 7), j=1, 5)], [7, 5]))
    options%algorithm = tenfold_algorithm_reference
    options%grid = [1, 1, everyone%ranks(), 1]
    call dist_contract_recorded("mn=mk*kn", [dist_input(a), dist_input(b)], d, record, alpha=2, options=options)
    call d%read([1_int64, 1_int64], found)
    call check(all(found == 2 * expected), 'a contraction that is recorded')
    whole = record%report()
    call check(whole%steps == 1 .and. whole%seconds_max > 0 .and. whole%peak_bytes_max > 0, 'its report')
    call check(whole%algorithm == tenfold_algorithm_reference, 'its algorithm')
    step = record%report(step=1)
    call check(step%bytes_received_max == whole%bytes_received_max, 'its only step')
    plan = record%plan()
    step = record%report(2, stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'a step that is not there')
    call check_text('there is no step 1; the contraction had 1', message)
    call record%destroy()
    summary = plan%summary() ! lives on
    call check(summary%grid(3) == everyone%ranks(), 'the plan that ran')
    call check(summary%bytes_received == whole%bytes_received_max, 'what it predicted')
    call plan%destroy()

    call c%create(everyone, tenfold_f64, [5, 5])
    call c%fill(1)
    call dist_contract_recorded("mj=mk*kn*nj", [dist_input(a), dist_input(b), dist_input(c)], d, record)
    whole = record%report()
    received = 0
    do i = 1, whole%steps
      step = record%report(i)
      received = received + step%bytes_received_max
    end do
    call check(whole%steps == 2 .and. received == whole%bytes_received_max, 'the steps of three inputs')
    call dist_contract_recorded("mn=mk*nk", [dist_input(a), dist_input(b)], d, record, stat=code, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), code, 'a contraction that fails')
    whole = record%report(stat=code, errmsg=message)
    call check_text('record is NULL', message)
    call check(whole%steps == 0, 'nothing was done')
    plan = record%plan(stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'the plan of nothing')
    call record%destroy()
    call c%destroy()
    call d%destroy()
  end subroutine test_records

  subroutine test_conjugated_plans(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, y
    type(dist_plan) :: plan
    type(tensor_distribution) :: of_x, of_y
    integer(int64) :: plain, first, second
    character(200) :: message
    integer :: code
    call x%create(everyone, tenfold_c64, [6, 6])
    call y%create(everyone, tenfold_c64, [6, 6], grid=[1, everyone%ranks()])
    call plan%create("ij=ik*kj", [dist_input(x), dist_input(x)], y)
    plain = plan%hash()
    call plan%create("ij=ik*kj", [dist_input(x, .true.), dist_input(x)], y)
    first = plan%hash()
    call plan%create("ij=ik*kj", [dist_input(x), dist_input(x, .true.)], y)
    second = plan%hash()
    call check(plain /= first .and. plain /= second .and. first /= second, 'plans know what is conjugated')
    of_x = x%distribution()
    of_y = y%distribution()
    call plan%create("ij=ik*kj", [tenfold_c64, tenfold_c64, tenfold_c64], [of_x, of_x, of_y], &
                     conj=[.false., .true.])
    call check(plan%hash() == second, 'those without tensors, too')
    call plan%create("ij=ik*kj", [tenfold_c64, tenfold_c64, tenfold_c64], [of_x, of_x, of_y])
    call check(plan%hash() == plain, 'nothing is conjugated')
    call plan%create("ij=ik*kj", [tenfold_c64, tenfold_c64, tenfold_c64], [of_x, of_x, of_y], &
                     conj=[.true.], stat=code, errmsg=message)
    call check_code(int(tenfold_invalid_argument), code, 'another number of conj')
    call check_text('another number of elements of conj than of inputs', message)
    call plan%destroy()
    call of_x%destroy()
    call of_y%destroy()
    call x%destroy()
    call y%destroy()
  end subroutine test_conjugated_plans

  subroutine test_distributions(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(tensor_distribution) :: one, other, nothing
    type(dist_tensor) :: x
    integer(int64), allocatable :: first(:), extents(:)
    integer(int64) :: elements
    character(200) :: message
    integer :: code, rank
    call one%create([6, 8], 4, grid=[2, 2])
    call check_text('extents (6, 8), grid 2x2 on 4 ranks', one%describe())
    call check(one%ranks() == 4, 'ranks')
    call check(one%copies() == 1, 'one copy')
    call check(all(one%grid() == [2, 2]), 'the grid')
    call check(all(one%extents() == [6, 8]), 'the extents')
    call one%block(3, first, extents, elements)
    call check(all(first == [4, 5]) .and. all(extents == [3, 4]) .and. elements == 12, 'a block')
    rank = one%owner([4_int64, 1_int64])
    call check(rank == 1, 'the owner of an element')
    rank = one%owner([7_int64, 1_int64], stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'a position outside')
    rank = one%owner([1_int64], stat=code)
    call check_code(int(tenfold_order_mismatch), code, 'a position of another order')
    call other%create([6_int64, 8_int64], 4, copies=4)
    call check(other%copies() == 4, 'copies')
    call check(.not. one%equals(other), 'two distributions')
    call check(one%equals(one), 'the same distribution')
    call other%create([6, 8], 4, grid=[5, 1], stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'more blocks than ranks')
    call check(nothing%ranks() == 0, 'a distribution that was not created')
    call check(nothing%describe() == '', 'its text')
    call check(size(nothing%extents()) == 0, 'its extents')
    call nothing%block(0, first, extents, stat=code)
    call check_code(int(tenfold_invalid_argument), code, 'its block')
    if (everyone%rank() == everyone%ranks() - 1) then
      call x%create(everyone, tenfold_f64, nothing, stat=code, errmsg=message)
    else
      call other%create([6, 8], everyone%ranks())
      call x%create(everyone, tenfold_f64, other, stat=code, errmsg=message)
    end if
    call check_code(int(tenfold_invalid_argument), code, 'no distribution, on one rank')
    call check_text('the distribution was not created', message)
    call other%create([6, 8], everyone%ranks(), grid=[1, everyone%ranks()])
    call x%create(everyone, tenfold_f64, other)
    one = x%distribution()
    call check(one%equals(other), 'the distribution of a tensor')
    call one%destroy()
    call other%destroy()
    call x%destroy()
  end subroutine test_distributions

  !> Products of bf16 and of 8-bit integers, and conversions.
  subroutine test_mixtures(everyone)
    type(tenfold_world), intent(in) :: everyone
    type(dist_tensor) :: x, y, half, other, d, bytes, integers
    real(real32) :: found(6, 6), expected(6, 6), elements(6, 7)
    integer(int32) :: found_integers(6, 6)
    integer(int8) :: small(6, 7)
    integer(int8), pointer, contiguous :: block(:)
    integer(int64), allocatable :: extents(:)
    character(200) :: message
    integer :: code, i, j
    elements = reshape([((real(number_at(i, j, 1), real32), i=1, 6), j=1, 7)], [6, 7])
    expected = matmul(elements, transpose(elements))
    call x%create(everyone, tenfold_f32, [6, 7])
    call x%fill_by(element_of_a)
    call half%create(everyone, tenfold_bf16, [6, 7])
    call other%create(everyone, tenfold_f16, [6, 7])
    call dist_contract_many("ik=ik", [dist_input(x)], half) ! conversions
    call dist_contract_many("ik=ik", [dist_input(half)], other)
    call d%create(everyone, tenfold_f32, [6, 6])
    call dist_contract("ij=ik*jk", half, half, d)
    call d%read([1_int64, 1_int64], found)
    call check(all(found == expected), 'a product of bf16')
    call dist_contract("ij=ik*jk", half, other, d, alpha=2, beta=-1)
    call d%read([1_int64, 1_int64], found)
    call check(all(found == expected), 'a product of bf16 and f16, and its update')
    call y%create(everyone, tenfold_f64, [6, 6])
    call dist_contract("ij=ik*jk", half, x, y)
    call check(abs(y%norm() - sqrt(sum(real(expected, real64)**2))) < 1.0e-9_real64, 'a product in real64')
    call check_text('bf16', dist_explain("ij=ik*jk", [dist_input(half), dist_input(half)], d))

    call bytes%create(everyone, tenfold_i8, [6, 7])
    call bytes%fill_by(element_of_a)
    call bytes%read([1_int64, 1_int64], small)
    call check(all(small == int(elements, int8)), 'a tensor of integer(int8)')
    call dist_local(bytes, block, extents=extents)
    call check(size(block, kind=int64) == product(extents), 'the block of a tensor of integer(int8)')
    call integers%create(everyone, tenfold_i32, [6, 6])
    call dist_contract("ij=ik*jk", bytes, bytes, integers)
    call integers%read([1_int64, 1_int64], found_integers)
    call check(all(found_integers == int(expected, int32)), 'a product of integer(int8)')
    call check(real(dist_sum(integers)) == sum(expected), 'its sum')
    call integers%fill_by(element_of_a)
    if (everyone%rank() == 0) then
      call integers%scatter(0, int(expected, int32))
    else
      call integers%scatter(0)
    end if
    call check(real(dist_sum(integers)) == sum(expected), 'a tensor of integer(int32) from one rank')

    call dist_contract("ij=ik*jk", bytes, x, d, stat=code, errmsg=message)
    call check_code(int(tenfold_type_mismatch), code, 'integers with real numbers')
    call half%fill_by(element_of_a, stat=code, errmsg=message)
    call check_code(int(tenfold_unsupported), code, 'a function for bf16')
    call check_text('fill one of f32, and convert it', message)
    call bytes%fill_by(too_large, stat=code, errmsg=message)
    call check_text('the function that fills the tensor returned 6', message)
    call bytes%fill(0.5, stat=code, errmsg=message)
    call check_text('the value is 0.5, but the tensor is i8', message)
    call d%read([1_int64, 1_int64], found)
    call check(all(found == expected), 'nothing was written')
    call x%destroy()
    call y%destroy()
    call half%destroy()
    call other%destroy()
    call d%destroy()
    call bytes%destroy()
    call integers%destroy()
  end subroutine test_mixtures

  function too_large(position) result(element)
    integer(int64), intent(in) :: position(:)
    complex(real64) :: element
    element = 100 + 100 * position(1)
  end function too_large
end module dist_plan_tests
