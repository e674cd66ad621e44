package runtime

// ForgetPrograms makes this process like one that has compiled nothing yet.
func ForgetPrograms() {
	programs.Lock()
	defer programs.Unlock()
	programs.recent = nil
}
