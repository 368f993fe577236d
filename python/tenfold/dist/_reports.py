"""What contractions of distributed tensors took."""


class Report:
    """What a contraction took, filled by contract():

        report = tenfold.dist.Report()
        tenfold.dist.contract("abij=abef*efij", v, t, out=r, report=report)
        print(report.seconds, report.bytes_received, report.peak_bytes)

    Bytes and seconds are those of the busiest rank, and the same on all ranks, but for `own_..`, which are this rank's.

    seconds                   from the ranks' agreement to the last element
    bytes_received            by the contraction; of several steps, of each step's busiest rank
    redistribution_bytes      received to bring tensors to where the plan needs them, and the result to its place
    peak_bytes                of memory: tensors, panels, buffers and workspace
    workspace_bytes           the part of it that is workspace of local contractions
    own_bytes_received, own_redistribution_bytes
    algorithm                 of this rank's local contraction: "auto" if there was none, or of several steps
    steps                     a Report of each contraction of two tensors; those have no steps and no plan
    plan                      the Plan that was executed

    All are 0, "auto", () and None until a contraction has filled them.
    """

    def __init__(self):
        self.seconds = 0.0
        self.bytes_received = self.redistribution_bytes = self.peak_bytes = self.workspace_bytes = 0
        self.own_bytes_received = self.own_redistribution_bytes = 0
        self.algorithm = "auto"
        self.steps = ()
        self.plan = None

    def _fill_step(self, fields):
        """From the engine's fields of one contraction of two tensors, which has no steps and no plan."""
        self.__init__()
        self.__dict__.update(fields)

    def _fill(self, done, plan):
        """From the engine's fields of the whole, those of the steps included."""
        steps = []
        for fields in done.pop("steps"):
            step = Report()
            step._fill_step(fields)
            steps.append(step)
        done.pop("plan")
        self.__dict__.update(done)
        self.steps = tuple(steps)
        self.plan = plan
        self.workspace_bytes = max((one.workspace_bytes for one in steps), default=0)
        self.own_bytes_received = sum(one.own_bytes_received for one in steps)
        self.own_redistribution_bytes = sum(one.own_redistribution_bytes for one in steps)
        self.algorithm = steps[0].algorithm if len(steps) == 1 else "auto"

    def __repr__(self):
        return (f"<tenfold.dist.Report {self.seconds:.3g} s, {self.bytes_received + self.redistribution_bytes} bytes "
                f"received, {self.peak_bytes} bytes of memory per rank>")
