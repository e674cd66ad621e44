package runtime

// Files is the module "sexton/fs": what scripts need of Node's "fs/promises", by way of Options.Broker.
func Files() *Extension {
	return effectExtension("sexton/fs", "fs",
		"readFile", "writeFile", "appendFile", "mkdir", "rm", "stat", "readdir", "rename", "PermissionDenied")
}
