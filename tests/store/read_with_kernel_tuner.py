"""Reads exports of Wattune as Kernel Tuner does, and prints what it found: configurations, failures, least time.

    read_with_kernel_tuner.py CACHE T4 FUNCTION

Exit status 77 when Kernel Tuner is not installed; an exception when it refuses a file.
"""
import json
import pathlib
import sys

try:
    import jsonschema
    import kernel_tuner
except ImportError:
    sys.exit(77)

cache_file, t4_file, function = sys.argv[1:]
schema = pathlib.Path(kernel_tuner.__file__).parent / "schema/T4/1.0.0/results-schema.json"
jsonschema.validate(json.loads(pathlib.Path(t4_file).read_text()), json.loads(schema.read_text()))

cache = json.loads(pathlib.Path(cache_file).read_text())
results, _ = kernel_tuner.tune_kernel(
    function, "", cache["problem_size"], [], cache["tune_params"],
    restrictions=[kernel_tuner.util.infer_restrictions_from_cache(cache)], lang="C", cache=cache_file,
    simulation_mode=True, strategy="brute_force", quiet=True)
times = [result["time"] for result in results if isinstance(result["time"], float)]
print(len(cache["cache"]), len(results), len(times), min(times))
