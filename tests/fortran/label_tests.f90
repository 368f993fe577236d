! Tests labels as numbers, and paths.
module label_tests
  use, intrinsic :: iso_fortran_env, only: real64
  use checks
  use tenfold
  implicit none
  private

  public :: run_label_tests

contains

  subroutine run_label_tests()
    call of_two_inputs()
    call of_many_inputs()
    call numpys_rules()
    call in_plans()
    call wrong_labels()
    call paths()
  end subroutine run_label_tests

  subroutine of_two_inputs()
    real(real64), target :: a(6, 5), b(5, 4), c(6, 4), d(4, 6)
    complex(real64) :: z(2, 2), w(2)
    type(contract_options) :: options
    type(execution_record) :: took
    a = 2
    b = 3
    c = 1
    d = 7
    call contract_labels(a, [0, 1], b, [1, 2], d, [2, 0])
    call check(all(d == 30), 'labels as numbers')
    call contract_labels(a(6:1:-1, :), [40, 9], b, [9, 7], d, [7, 40], transpose(c), alpha=2, beta=5, record=took)
    call check(all(d == 65), 'labels with alpha, beta and C')
    call check(took%flops > 0, 'labels with a record')
    options%algorithm = tenfold_algorithm_reference
    call contract_labels(a, [0, 1], b, [1, 2], d, [2, 0], options=options)
    call check(all(d == 30), 'labels with options')
    z = (1, 2)
    call contract_labels(z, [0, 1], (1.0_real64, 0.0_real64), [integer ::], w, [0], conj_a=.true.)
    call check(all(w == (2, -4)), 'a conjugated input and a scalar')
  end subroutine of_two_inputs

  subroutine of_many_inputs()
    real(real64), target :: a(4, 3), b(3, 3), c(3, 2)
    real(real64) :: d(4, 2), trace
    a = 1
    b = 2
    c = 3
    call contract_labels_many([view(a), view(b), view(c)], &
                              [label_list([0, 1]), label_list([1, 2]), label_list([2, 3])], d, [0, 3], alpha=0.5)
    call check(all(d == 27), 'labels of three inputs')
    call contract_labels_many([view(b)], [label_list([5, 5])], trace, [integer ::])
    call check(trace == 6, 'a trace by labels')
  end subroutine of_many_inputs

  !> Ellipses, and extents of 1 that go with others.
  subroutine numpys_rules()
    real(real64) :: a(2, 3, 4), b(1, 3, 5), d(2, 4, 5)
    a = 1
    b = 2
    call contract_labels(a, [tenfold_ellipsis, 0, 1], b, [tenfold_ellipsis, 0, 2], d, [tenfold_ellipsis, 1, 2])
    call check(all(d == 6), 'an ellipsis that is broadcast')
  end subroutine numpys_rules

  subroutine in_plans()
    type(contraction_plan) :: plan
    real(real64), target :: a(6, 5), b(5, 4), c(6, 4), d(6, 4)
    a = 2
    b = 3
    call plan%create_labels(a, [0, 1], b, [1, 2], d, [0, 2])
    call plan%execute(a, b, d, alpha=2)
    call check(all(d == 60), 'a plan of labels')
    call plan%create_labels_many([view(a), view(b)], [label_list([0, 1]), label_list([1, 2])], d, [0, 2])
    call plan%execute_many([view(a), view(b)], d)
    call check(all(d == 30), 'a plan of lists of labels')
    c = 4
    call plan%create_labels(a, [0, 1], b, [1, 2], d, [0, 2], c)
    call plan%execute(a, b, d, c, beta=1)
    call check(all(d == 34), 'a plan of labels with C')
    call plan%destroy()
  end subroutine in_plans

  subroutine wrong_labels()
    real(real64), target :: a(4, 5), b(6, 3), d(4, 3)
    character(200) :: message
    type(error_details) :: why
    integer :: stat, i
    a = 1
    b = 1
    d = 5
    call contract_labels(a, [0, 1], b, [1, 2], d, [0, 2], stat=stat, errmsg=message)
    call check_code(int(tenfold_extent_mismatch), stat, 'extents of labels')
    why = last_error()
    call check(why%first%extent == 5 .and. why%second%extent == 6, 'both extents')
    call contract_labels(a, [0], b, [1, 2], d, [0, 2], stat=stat)
    call check_code(int(tenfold_order_mismatch), stat, 'too few labels')
    call contract_labels(a, [0, -2], b, [1, 2], d, [0, 2], stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'a negative label')
    call contract_labels(a, [(i, i=0, 17)], b, [1, 2], d, [0, 2], stat=stat, errmsg=message)
    call check_code(int(tenfold_order_mismatch), stat, 'more labels than dimensions')
    call check_text('more labels than an array', message)
    call contract_labels_many([view(a), view(b)], [label_list([0, 1])], d, [0], stat=stat)
    call check(stat /= tenfold_ok, 'a list of labels is missing')
    call check(all(d == 5), 'nothing was written')
  end subroutine wrong_labels

  subroutine paths()
    type(contraction_plan) :: plan
    type(contract_options) :: options
    type(plan_step) :: step
    type(plan_summary) :: summary
    real(real64), target :: a(3, 4), b(4, 5), c(5, 2)
    real(real64) :: d(3, 2)
    integer, allocatable :: own(:, :)
    integer :: stat
    a = 1
    b = 2
    c = 3
    options%path = reshape([2, 3, 1, 2], [2, 2]) ! b with c, then a with that
    call contract_many("ij=ik*kl*lj", [view(a), view(b), view(c)], d, options=options)
    call check(all(d == 120), 'a contraction with a path')
    call plan%create_many("ij=ik*kl*lj", [view(a), view(b), view(c)], d, options=options)
    allocate (own, source=plan%path())
    call check(all(shape(own) == [2, 2]), 'two steps of a path')
    call check(all(own(:, 1) == [2, 3]) .or. all(own(:, 1) == [3, 2]), 'its first step')
    summary = plan%summary()
    call check(summary%steps == 2, 'the number of steps')
    step = plan%step(1)
    call check(size(step%operands) == 2 .and. sum(step%operands) == 5, 'the operands of a step')
    call check(index(step%expression, '=') > 0, 'the expression of a step')
    call check(step%flops == 2 * 4 * 5 * 2 .and. step%result_bytes == 4 * 2 * 8, 'the numbers of a step')
    step = plan%step(2)
    call check(any(step%operands == 4) .and. any(step%operands == 1), 'the result of a step as an operand')
    step = plan%step(3, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'a step that is not there')
    ! A plan's own path serves another plan.
    deallocate (options%path)
    call plan%create_many("ij=(ik*kl)*lj", [view(a), view(b), view(c)], d)
    options%path = plan%path()
    call check(all(options%path(:, 1) == [1, 2]) .or. all(options%path(:, 1) == [2, 1]), 'parentheses')
    call plan%create_many("ij=ik*kl*lj", [view(a), view(b), view(c)], d, options=options)
    call plan%execute_many([view(a), view(b), view(c)], d)
    call check(all(d == 120), 'a plan with the path of another one')
    call plan%destroy()
    own = plan%path()
    call check(size(own) == 0, 'the path of a plan that was destroyed')
    d = 5
    options%path = reshape([1, 4, 1, 2], [2, 2])
    call contract_many("ij=ik*kl*lj", [view(a), view(b), view(c)], d, options=options, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'a position that is not there')
    options%path = reshape([1, 2], [2, 1])
    call contract_many("ij=ik*kl*lj", [view(a), view(b), view(c)], d, options=options, stat=stat)
    call check_code(int(tenfold_invalid_argument), stat, 'a path that ends early')
    call check(all(d == 5), 'nothing was written')
  end subroutine paths
end module label_tests
