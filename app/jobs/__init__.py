"""Who owns a run. One worker has the models, takes jobs in order and publishes cycles.

Pages submit settings and look at the job's state; they never touch a model. A rerun or a closed
tab cannot kill or corrupt a run. The interface (submit, look, stop) would stay the same if the
worker became a process or a service. `warming.py` says when the models are loaded: after a page.
"""

import speculation  # noqa: F401  before any module here loads torch: see there
