package runtime

// Process is the module "sexton/process": programs and processes, by way of Options.Broker.
func Process() *Extension {
	return effectExtension("sexton/process", "process", "exec", "spawn", "kill", "alive", "env", "PermissionDenied")
}
