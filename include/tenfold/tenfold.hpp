// Includes all of Tenfold for one node. Distributed tensors need MPI; include <tenfold/dist.hpp>
// for them.
#pragma once

#include <tenfold/calibrate.hpp>
#include <tenfold/context.hpp>
#include <tenfold/contract.hpp>
#include <tenfold/contract_batch.hpp>
#include <tenfold/contraction_epilogue.hpp>
#include <tenfold/control.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/epilogue.hpp>
#include <tenfold/error.hpp>
#include <tenfold/executor.hpp>
#include <tenfold/gemm.hpp>
#include <tenfold/gemm_batch.hpp>
#include <tenfold/gemm_mixed.hpp>
#include <tenfold/operand.hpp>
#include <tenfold/tensor.hpp>
#include <tenfold/tensor_view.hpp>
#include <tenfold/transpose.hpp>
#include <tenfold/types.hpp>
#include <tenfold/version.hpp>
