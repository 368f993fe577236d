// A NumPy type "bfloat16" as ml_dtypes registers one: elements of two bytes that NumPy knows
// nothing about but how they become other numbers, and back. For tests where ml_dtypes is not
// installed.
#include <Python.h>

#include <complex>
#include <cstdint>
#include <cstring>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

namespace {

float widened(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

/// Rounds to nearest, ties to even; tests have no NaN.
std::uint16_t rounded(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

PyObject *get_item(void *data, void *) {
    std::uint16_t bits;
    std::memcpy(&bits, data, sizeof bits);
    return PyFloat_FromDouble(static_cast<double>(widened(bits)));
}

int set_item(PyObject *value, void *data, void *) {
    const double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred() != nullptr)
        return -1;
    const std::uint16_t bits = rounded(static_cast<float>(number));
    std::memcpy(data, &bits, sizeof bits);
    return 0;
}

void copy_swap(void *to, void *from, int swap, void *) {
    if (from != nullptr)
        std::memcpy(to, from, 2);
    if (swap != 0) {
        auto *bytes = static_cast<char *>(to);
        const char first = bytes[0];
        bytes[0] = bytes[1];
        bytes[1] = first;
    }
}

void copy_swap_n(void *to, npy_intp to_stride, void *from, npy_intp from_stride, npy_intp count,
                 int swap, void *) {
    for (npy_intp k = 0; k < count; ++k)
        copy_swap(static_cast<char *>(to) + k * to_stride,
                  from == nullptr ? nullptr : static_cast<char *>(from) + k * from_stride, swap,
                  nullptr);
}

npy_bool is_nonzero(void *data, void *) {
    std::uint16_t bits;
    std::memcpy(&bits, data, sizeof bits);
    return (bits & 0x7fff) != 0;
}

template <class T> void to_other(void *from, void *to, npy_intp count, void *, void *) {
    for (npy_intp k = 0; k < count; ++k)
        static_cast<T *>(to)[k] = T(widened(static_cast<const std::uint16_t *>(from)[k]));
}

template <class T> void from_other(void *from, void *to, npy_intp count, void *, void *) {
    for (npy_intp k = 0; k < count; ++k)
        static_cast<std::uint16_t *>(to)[k] =
            rounded(static_cast<float>(std::real(static_cast<const T *>(from)[k])));
}

/// Conversions both ways; those to the other type are safe.
template <class T> bool register_casts(PyArray_Descr *descr, int other) {
    PyArray_Descr *of_other = PyArray_DescrFromType(other);
    const bool fine = PyArray_RegisterCastFunc(descr, other, &to_other<T>) == 0 &&
                      PyArray_RegisterCastFunc(of_other, descr->type_num, &from_other<T>) == 0 &&
                      PyArray_RegisterCanCast(descr, other, NPY_NOSCALAR) == 0;
    Py_DECREF(of_other);
    return fine;
}

PyArray_ArrFuncs functions;
PyTypeObject scalar_type = {};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "bfloat16_type",
                          nullptr,
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

PyArray_Descr *new_description() {
    PyArray_Descr *descr = PyObject_New(PyArray_Descr, &PyArrayDescr_Type);
    if (descr == nullptr)
        return nullptr;
    std::memset(reinterpret_cast<char *>(descr) + sizeof(PyObject), 0,
                sizeof(PyArray_Descr) - sizeof(PyObject));
    descr->typeobj = &scalar_type;
    descr->kind = 'V';
    descr->type = 'E';
    descr->byteorder = '=';
    descr->flags = NPY_NEEDS_PYAPI | NPY_USE_GETITEM | NPY_USE_SETITEM;
    descr->elsize = 2;
    descr->alignment = 2;
    descr->f = &functions;
    descr->hash = -1;
    return descr;
}

} // namespace

PyMODINIT_FUNC PyInit_bfloat16_type() {
    if (_import_array() < 0)
        return nullptr;
    Py_SET_REFCNT(reinterpret_cast<PyObject *>(&scalar_type), 1);
    scalar_type.tp_name = "bfloat16_type.bfloat16";
    scalar_type.tp_basicsize = sizeof(PyObject) + 2;
    scalar_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
    scalar_type.tp_base = &PyGenericArrType_Type;
    if (PyType_Ready(&scalar_type) < 0)
        return nullptr;
    PyArray_InitArrFuncs(&functions);
    functions.getitem = &get_item;
    functions.setitem = &set_item;
    functions.copyswap = &copy_swap;
    functions.copyswapn = &copy_swap_n;
    functions.nonzero = &is_nonzero;
    PyArray_Descr *descr = new_description();
    if (descr == nullptr || PyArray_RegisterDataType(descr) < 0 ||
        !register_casts<float>(descr, NPY_FLOAT) || !register_casts<double>(descr, NPY_DOUBLE) ||
        !register_casts<std::complex<float>>(descr, NPY_CFLOAT) ||
        !register_casts<std::complex<double>>(descr, NPY_CDOUBLE))
        return nullptr;
    PyObject *module = PyModule_Create(&definition);
    if (module == nullptr ||
        PyModule_AddObjectRef(module, "bfloat16", reinterpret_cast<PyObject *>(descr)) < 0)
        return nullptr;
    return module;
}
