"""The names of observers.nvml where releases of Kernel Tuner before 1.0 had them."""

from .observers.nvml import NVMLObserver, get_idle_power, get_nvml_gr_clocks, get_nvml_mem_clocks, get_nvml_pwr_limits

__all__ = ["NVMLObserver", "get_idle_power", "get_nvml_gr_clocks", "get_nvml_mem_clocks", "get_nvml_pwr_limits"]
