package sandbox

import "os/exec"

func prepare(*exec.Cmd) {}

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func enter(*Limits) error { return nil }
