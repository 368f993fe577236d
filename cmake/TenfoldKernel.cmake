# Kernels: one source compiled once per variant of an instruction set.
#
# tenfold_isa(variant ISA isa BYTES register [HEADER file] [FLAGS flags...] [FEATURE member])
#
# The only list of what kernels are compiled for, best first: a processor that runs a variant runs
# those that follow, but for registers of another length and for features. The last one runs on all
# processors of the architecture and serves isa::generic. ISA is the value of
# tenfold::isa that the variant belongs to, HEADER what its registers can do (simd/<isa>.hpp if not
# said), FEATURE what it needs beside the ISA, a member of base::machine: such a variant serves only the
# kernels that ask for it. Variants that TENFOLD_KERNELS does not name are left out.
function(tenfold_isa variant)
  set(TENFOLD_KNOWN_VARIANTS ${TENFOLD_KNOWN_VARIANTS} ${variant} PARENT_SCOPE)
  if(NOT ALL IN_LIST TENFOLD_KERNELS AND NOT variant IN_LIST TENFOLD_KERNELS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ISA;BYTES;HEADER;FEATURE" "FLAGS")
  if(NOT arg_HEADER)
    set(arg_HEADER simd/${arg_ISA}.hpp)
  endif()
  set(feature nullptr)
  if(arg_FEATURE)
    set(feature "&tenfold::base::machine::${arg_FEATURE}")
  else()
    set(TENFOLD_ISAS ${TENFOLD_ISAS} ${variant} PARENT_SCOPE)
    set(TENFOLD_COMPILED_ISAS ${TENFOLD_COMPILED_ISAS} tenfold::isa::${arg_ISA} PARENT_SCOPE)
  endif()
  set(TENFOLD_VARIANTS ${TENFOLD_VARIANTS} ${variant} PARENT_SCOPE)
  set(TENFOLD_ISA_FLAGS_${variant} ${arg_FLAGS} PARENT_SCOPE)
  set(TENFOLD_ISA_HEADER_${variant} ${arg_HEADER} PARENT_SCOPE)
  set(TENFOLD_ISA_ENTRY_${variant} "${variant}, ${arg_ISA}, ${arg_BYTES}, ${feature}" PARENT_SCOPE)
endfunction()

set(TENFOLD_KERNELS ALL CACHE STRING
    "What kernels are compiled for: ALL, or a list of, say, avx2 and generic. The best that the processor has is taken at run time")
set(TENFOLD_KERNEL_OPTIMISATION -O3 CACHE STRING
    "How kernels are optimised; some tests save time with -O1, which compiles them two or three times as fast, or with -O0")
mark_as_advanced(TENFOLD_KERNEL_OPTIMISATION)
set(TENFOLD_KNOWN_VARIANTS)
set(TENFOLD_ISAS)     # what every kernel is compiled for
set(TENFOLD_VARIANTS) # these and those with a feature
set(TENFOLD_COMPILED_ISAS tenfold::isa::generic) # the values of tenfold::isa that contexts may choose

# tenfold_last_isa(arguments of tenfold_isa...): before it may stand one more from outside, these
# arguments as a list in TENFOLD_EXTRA_ISA: tests/package/extra_isa.
macro(tenfold_last_isa last)
  if(TENFOLD_EXTRA_ISA)
    tenfold_isa(${TENFOLD_EXTRA_ISA})
  endif()
  tenfold_isa(${last} ${ARGN})
  set(TENFOLD_LAST_VARIANT ${last})
endmacro()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(avx2 -mavx2 -mfma -mf16c)
  # 512-bit registers need asking for: the compilers' default for these feature sets is 256.
  set(avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw ${avx2} -mprefer-vector-width=512)
  tenfold_isa(avx512bf16 ISA avx512 BYTES 64 FLAGS ${avx512} -mavx512bf16 FEATURE avx512_bf16)
  tenfold_isa(avx512vnni ISA avx512 BYTES 64 FLAGS ${avx512} -mavx512vnni FEATURE avx512_vnni)
  tenfold_isa(avx512 ISA avx512 BYTES 64 FLAGS ${avx512})
  tenfold_isa(avx2 ISA avx2 BYTES 32 FLAGS ${avx2})
  tenfold_last_isa(generic ISA generic BYTES 16)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # SVE with a length that the compiler knows; of the two, the processor has one or neither.
  set(sve -march=armv8.2-a+sve)
  tenfold_isa(sve256 ISA sve BYTES 32 FLAGS ${sve} -msve-vector-bits=256)
  tenfold_isa(sve512 ISA sve BYTES 64 FLAGS ${sve} -msve-vector-bits=512)
  tenfold_last_isa(neon ISA neon BYTES 16 HEADER simd/generic.hpp)
else()
  tenfold_last_isa(generic ISA generic BYTES 16)
endif()
foreach(variant IN LISTS TENFOLD_KERNELS)
  if(NOT variant STREQUAL "ALL" AND NOT variant IN_LIST TENFOLD_KNOWN_VARIANTS)
    list(JOIN TENFOLD_KNOWN_VARIANTS ", " known)
    message(FATAL_ERROR "TENFOLD_KERNELS: '${variant}' is none of ${known}")
  endif()
endforeach()
if(NOT TENFOLD_LAST_VARIANT IN_LIST TENFOLD_VARIANTS)
  message(FATAL_ERROR
    "TENFOLD_KERNELS must name ${TENFOLD_LAST_VARIANT}, which serves processors without the others")
endif()

# tenfold_kernel(module SOURCE file [AND variants... | ONLY variants... | EXCEPT variants...])
#
# Compiles SOURCE into the module for each of TENFOLD_ISAS, AND for variants with a feature, EXCEPT for
# some, or ONLY for those named. TENFOLD_KERNEL_ISA is the variant. A source has one entry,
# TENFOLD_KERNEL_ENTRY = tenfold_<module>_<source>_<variant> (src/simd/entry.hpp), from which
# src/simd/kernel_table.hpp makes a table. Kernel sources include only the plain kernel ABI, headers of
# src/simd and intrinsics, and have internal linkage but for that entry: an inline function compiled
# here with wide instructions must never be the copy that the linker keeps for everybody
# (tests/package/kernel_symbols checks).
function(tenfold_kernel module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "AND;ONLY;EXCEPT")
  cmake_path(GET arg_SOURCE STEM source)
  set(wanted ${TENFOLD_ISAS} ${arg_AND})
  if(arg_ONLY)
    set(wanted ${arg_ONLY})
  elseif(arg_EXCEPT)
    list(REMOVE_ITEM wanted ${arg_EXCEPT})
  endif()
  set(entries "")
  foreach(variant IN LISTS TENFOLD_VARIANTS)
    if(NOT variant IN_LIST wanted)
      continue()
    endif()
    set(target tenfold_${module}_${source}_${variant})
    add_library(${target} OBJECT ${arg_SOURCE})
    target_link_libraries(${target} PRIVATE tenfold_${module}_headers)
    target_compile_options(${target} PRIVATE ${TENFOLD_KERNEL_OPTIMISATION}
      ${TENFOLD_ISA_FLAGS_${variant}})
    if(NOT TENFOLD_KERNEL_OPTIMISATION STREQUAL "-O3") # false positives where loops stay loops
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_compile_definitions(${target} PRIVATE TENFOLD_KERNEL_ISA=${variant}
      TENFOLD_KERNEL_ENTRY=${target} TENFOLD_SIMD_HEADER="${TENFOLD_ISA_HEADER_${variant}}")
    tenfold_inside_library(${target})
    tenfold_private_warnings(${target})
    set_property(GLOBAL APPEND PROPERTY TENFOLD_KERNEL_TARGETS ${target})
    set_property(GLOBAL APPEND PROPERTY TENFOLD_KERNEL_TARGETS_${module}_${source} ${target})
    string(APPEND entries " \\\n    apply(source, ${TENFOLD_ISA_ENTRY_${variant}})")
  endforeach()
  set_property(GLOBAL APPEND_STRING PROPERTY TENFOLD_KERNEL_LISTS
    "#define TENFOLD_VARIANTS_OF_${module}_${source}(apply, source)${entries}\n")
endfunction()

# tenfold_kernel_objects(variable module_source...): the objects of these kernels.
function(tenfold_kernel_objects variable)
  set(objects)
  foreach(source IN LISTS ARGN)
    get_property(targets GLOBAL PROPERTY TENFOLD_KERNEL_TARGETS_${source})
    foreach(target IN LISTS targets)
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endforeach()
  endforeach()
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()

# Once all kernels are known, writes "simd/variants.hpp": what TENFOLD_VARIANTS and every kernel source
# are compiled for, as lists that apply a macro to (source, variant, isa, bytes, feature).
function(tenfold_write_variants)
  set(all "")
  foreach(variant IN LISTS TENFOLD_VARIANTS)
    string(APPEND all " \\\n    apply(source, ${TENFOLD_ISA_ENTRY_${variant}})")
  endforeach()
  get_property(lists GLOBAL PROPERTY TENFOLD_KERNEL_LISTS)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/simd/variants.hpp @ONLY CONTENT
"// What kernels are compiled for, best first. Written by cmake/TenfoldKernel.cmake.
#pragma once

#define TENFOLD_VARIANTS(apply, source)${all}
${lists}")
endfunction()
cmake_language(DEFER CALL tenfold_write_variants)
