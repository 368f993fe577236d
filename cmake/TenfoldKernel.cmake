# Kernels: one source compiled once per instruction set.
#
# tenfold_kernel(module ISAS isa... SOURCE file [NAME stem])
#
# For each ISA of the target processor, compiles SOURCE into the module with that ISA's flags and
# TENFOLD_KERNEL_ISA set to its name, so that a source can be shared by ISAs or belong to one.
# Kernel sources include only the plain kernel ABI and intrinsics, and have internal linkage except
# for their one entry. Otherwise the linker might keep an inline function that was compiled here
# with wide instructions for all callers (tests/package/kernel_symbols checks).
set(TENFOLD_ISA_FLAGS_generic "")
set(TENFOLD_ISA_FLAGS_avx2 -mavx2 -mfma -mf16c)
# The compilers' default for these features is 256-bit registers, so that 512 bits are asked for.
set(TENFOLD_ISA_FLAGS_avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma -mf16c
    -mprefer-vector-width=512)
# AVX-512 with one more feature, for the few kernels that need it.
set(TENFOLD_ISA_FLAGS_avx512bf16 ${TENFOLD_ISA_FLAGS_avx512} -mavx512bf16)
set(TENFOLD_ISA_FLAGS_avx512vnni ${TENFOLD_ISA_FLAGS_avx512} -mavx512vnni)
set(TENFOLD_ISA_FLAGS_neon "")
# SVE with a length that is fixed at compile time; the registry chooses the processor's length.
set(TENFOLD_ISA_FLAGS_sve256 -march=armv8.2-a+sve -msve-vector-bits=256)
set(TENFOLD_ISA_FLAGS_sve512 -march=armv8.2-a+sve -msve-vector-bits=512)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(TENFOLD_ISAS generic avx2 avx512)
  set(TENFOLD_ISA_VARIANTS avx512bf16 avx512vnni)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(TENFOLD_ISAS generic neon sve256 sve512)
else()
  set(TENFOLD_ISAS generic)
endif()

function(tenfold_kernel module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;NAME" "ISAS")
  if(NOT arg_NAME)
    cmake_path(GET arg_SOURCE STEM arg_NAME)
  endif()
  foreach(isa IN LISTS arg_ISAS)
    if(NOT isa IN_LIST TENFOLD_ISAS AND NOT isa IN_LIST TENFOLD_ISA_VARIANTS)
      continue()
    endif()
    set(target tenfold_${module}_${arg_NAME}_${isa})
    add_library(${target} OBJECT ${arg_SOURCE})
    target_link_libraries(${target} PRIVATE tenfold_${module}_headers)
    target_compile_options(${target} PRIVATE -O3 ${TENFOLD_ISA_FLAGS_${isa}})
    target_compile_definitions(${target} PRIVATE TENFOLD_KERNEL_ISA=${isa})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    tenfold_private_warnings(${target})
    set_property(GLOBAL APPEND PROPERTY TENFOLD_KERNEL_TARGETS ${target})
  endforeach()
endfunction()
