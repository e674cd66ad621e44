// Command httpd serves a directory over HTTP, on this machine only.
//
//	httpd -dir public -port 8088             serves until it is ended
//	httpd -dir public -port 8088 -probe PID  waits until process PID answers on that port
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// pidHeader tells a probe which process answers: the port may belong to another one.
const pidHeader = "X-Httpd-Pid"

func main() {
	dir := flag.String("dir", ".", "directory to serve")
	port := flag.Int("port", 8088, "port on the loopback interface")
	probe := flag.Int("probe", 0, "wait for the `process` that serves on the port")
	flag.Parse()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(*port))
	err := fmt.Errorf("%s is no directory", *dir)
	if *probe != 0 {
		err = await(address, *probe)
	} else if info, statErr := os.Stat(*dir); statErr == nil && info.IsDir() {
		err = serve(address, *dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "httpd:", err)
		os.Exit(1)
	}
}

func serve(address, dir string) error {
	files := http.FileServer(http.Dir(dir))
	pid := strconv.Itoa(os.Getpid())
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(pidHeader, pid)
		files.ServeHTTP(w, r)
	}))
}

func await(address string, pid int) error {
	client := &http.Client{Timeout: time.Second}
	problem := ""
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		answer, err := client.Head("http://" + address)
		if err != nil {
			problem = err.Error()
			continue
		}
		answer.Body.Close()
		if answer.Header.Get(pidHeader) == strconv.Itoa(pid) {
			return nil
		}
		problem = "another program uses that port"
	}
	return fmt.Errorf("process %d does not answer at %s: %s", pid, address, problem)
}
