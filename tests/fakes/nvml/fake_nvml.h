// The stand-in for libnvidia-ml.so.1, as tests see and steer it. It has the devices of the stand-in for libcuda
// (fakes/cuda/fake_cuda.h). The variant of an old driver (wattune-fake-libnvml-old.so) lacks the energy counter, the
// fields, the memory lock, the list of processes and EventReasons.
//
// Environment variables steer it:
//   WATTUNE_FAKE_NVML_PROFILE=A100   a board of module simulate stands behind it, with its physics and its sensors
//   WATTUNE_FAKE_NVML_ACTIVITY=0.8   activity of such a board's core during kernels, 1 unless given
//   WATTUNE_FAKE_NVML_TIME=virtual   time of such a board passes on request, not with the host's clock
//   WATTUNE_FAKE_BOARD=FILE          processes share the boards, and their settings (fakes/cuda/fake_board.h)
//   WATTUNE_FAKE_NVML_LOG=FILE       gets a line for each call: the name of the function
//   WATTUNE_FAKE_NVML_FAULT=F:N:C,.. the N-th call of function F in a process returns C; N+: from it on; F = *: of all.
//                                    "*:50+:15" loses the device; a code of 13 has a driver lack the function
//   WATTUNE_FAKE_NVML_ARCHITECTURE=4 NVML's number of the architecture, 9 (Hopper) unless given; not with a profile
//   WATTUNE_FAKE_NVML_INIT=18        the result of nvmlInit_v2
//   WATTUNE_FAKE_NVML_HANDLE=6       the result of looking for a device
//   WATTUNE_FAKE_NVML_ENERGY=3       the result of each question: CLOCK, REASONS, POWER, ENERGY, TEMPERATURE, LIMIT
//   WATTUNE_FAKE_NVML_FIELD_186=3    the result of reading a field
//   WATTUNE_FAKE_NVML_SCOPES=module  fields tell of the module alone
//   WATTUNE_FAKE_NVML_BITS=4         why the clock is low; 1 (idle) unless given; not with a profile
//   WATTUNE_FAKE_NVML_STUCK=1        the energy counter stands still
//   WATTUNE_FAKE_NVML_ANEW=20        at this question the energy counter begins anew
//   WATTUNE_FAKE_NVML_SET=4          the result of every call that sets or resets something
//   WATTUNE_FAKE_NVML_DEAF=1         those calls succeed, but nothing changes
//   WATTUNE_FAKE_NVML_RESTRICTED=0   all may set application clocks, whatever SET says
//   WATTUNE_FAKE_NVML_PROCESSES=7,8  others that use each device, besides those with a context; "hidden": none is seen
//   WATTUNE_FAKE_NVML_MIG=1          MIG is on
//   WATTUNE_FAKE_NVML_PERSISTENCE=0  persistence mode is off
//   WATTUNE_FAKE_NVML_ORDER=reverse  its devices have another order than CUDA's
//   WATTUNE_FAKE_NVML_DRIVER=470.1   version of the driver, 550.54.15 unless given
//   WATTUNE_FAKE_NVML_REAL=1         it does not say that it is a stand-in
#pragma once

extern "C" {

// Returns 1: no board is behind this library, so no setting harms anybody.
int wattune_stand_in();
// Lets virtual time pass, of all devices of a profile.
void wattune_fake_nvml_pass(double nanoseconds);
// Loads a device of a profile, by CUDA's number, from now on; zeros end the load.
void wattune_fake_nvml_load(unsigned device, double core, double memory);

}  // extern "C"
