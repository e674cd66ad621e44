// Command bare runs a script in goja and nothing else: what BenchmarkStartup compares with.
package main

import (
	"fmt"
	"os"

	"github.com/dop251/goja"
)

func main() {
	vm := goja.New()
	source, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = vm.Set("print", func(text string) { fmt.Println(text) })
	}
	if err == nil {
		_, err = vm.RunString(string(source))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
