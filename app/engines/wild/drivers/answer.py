"""The other end of `engines.wild.foreign`: run one function of a file, for as long as it is asked.

    python answer.py FILE NAME '{"model": "...", "draft": "..."}'

A line of JSON in: {"prompt", "settings", "seeds"}. A line out: {"texts", "counts"} or {"error"}.
What an engine prints goes to stderr, so that it does not end up between the answers.
"""

import importlib.util
import json
import os
import sys
import traceback


def main():
    file, name, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def say(what):
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    try:
        sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
        spec = importlib.util.spec_from_file_location("driver", file)
        driver = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(driver)
        driver.ready(options)
        decode = getattr(driver, name)
        say({"ready": True})
        for line in sys.stdin:
            asked = json.loads(line)
            texts = decode(asked["prompt"], asked["settings"], asked["seeds"])
            say({"texts": texts, "counts": getattr(driver, "COUNTS", {})})
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(last.filename)}:{last.lineno}"
        say({"error": f"{type(error).__name__}: {str(error).strip()[:600]} (at {where})"})


main()
