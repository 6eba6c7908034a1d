"""Tuning of kernels that Python calls: what the doors for Triton and for callables share.

`choosing` finds the configuration of a call, `winners` keeps it, `workers` control the processes of `compiler` and
`bench`, and `shipping` and `arrays` say what those processes need to run the kernel.
"""
