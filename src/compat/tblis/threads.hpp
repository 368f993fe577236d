// How many threads a call of TBLIS's interface has.
#pragma once

#include "tenfold-compat/tblis/tblis.h"

/// TCI's communicator, as far as calls may look into one that comes from TCI itself.
struct tci_comm {
    void *context;
    unsigned gangs, gang;
    unsigned threads, thread;
};

namespace tenfold::tblis_impl {

/// For contract_options::threads; 0: the context's. Throws errc::unsupported for a communicator of
/// several threads: all of them would enter the call.
int threads_of(const tblis_comm *comm);

} // namespace tenfold::tblis_impl
