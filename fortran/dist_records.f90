! What contractions of distributed tensors did, with their steps and plans.
module tenfold_dist_records
  use, intrinsic :: iso_c_binding
  use tenfold_dist_contractions
  use tenfold_dist_options
  use tenfold_dist_plan_bindings
  use tenfold_dist_plans
  use tenfold_dist_reports
  use tenfold_dist_tensors
  use tenfold_errors
  implicit none
  private

  public :: dist_contract_recorded, dist_record

  !> A contraction that ran. It is local, and does not change. A copy refers to the same record;
  !> destroy it once.
  type :: dist_record
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: report => report_of_record
    procedure :: plan => plan_of_record
    procedure :: destroy
  end type dist_record

contains

  !> Collective. dist_contract_many(), which keeps what it did.
  subroutine dist_contract_recorded(expression, inputs, d, record, alpha, beta, options, stat, errmsg)
    character(*), intent(in) :: expression
    type(dist_input), intent(in) :: inputs(:)
    type(dist_tensor), intent(in) :: d
    type(dist_record), intent(inout) :: record
    class(*), intent(in), optional :: alpha, beta
    type(dist_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), target :: made
    type(contraction_arguments), target :: arguments
    integer(c_int32_t) :: code
    call record%destroy()
    made = c_null_ptr
    call contract_by(c_dist_contract_recorded, arguments, expression, inputs, d, c_loc(made), code, alpha, beta, options)
    call arguments%destroy()
    record%handle = made
    call report(code, last_message(code), stat, errmsg)
  end subroutine dist_contract_recorded

  !> What the whole contraction took, or one of its steps, from 1.
  function report_of_record(self, step, stat, errmsg) result(found)
    class(dist_record), intent(in) :: self
    integer, intent(in), optional :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(dist_report) :: found
    type(c_dist_report) :: own
    integer(c_int32_t) :: code
    own%size = c_sizeof(own)
    if (present(step)) then
      code = c_dist_record_step(self%handle, int(step - 1, c_int32_t), own)
    else
      code = c_dist_record_report(self%handle, own)
    end if
    found = report_of(own)
    call report(code, last_message(code), stat, errmsg)
  end function report_of_record

  !> The plan that was executed, as one of its own, which is to be destroyed.
  function plan_of_record(self, stat, errmsg) result(plan)
    class(dist_record), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(dist_plan) :: plan
    type(c_ptr) :: own
    integer(c_int32_t) :: code
    own = c_null_ptr
    code = c_dist_record_plan(self%handle, own)
    plan = plan_from(own)
    call report(code, last_message(code), stat, errmsg)
  end function plan_of_record

  subroutine destroy(self)
    class(dist_record), intent(inout) :: self
    call c_dist_record_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine destroy
end module tenfold_dist_records
