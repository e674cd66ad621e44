package scenario

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// junit prints the XML that continuous integration servers read: a testsuite per file, a testcase per
// test. The format wants counts first, so everything is printed at the end.
type junit struct {
	*printer
	files  []*junitFile
	inside string // the full name of the test that runs; the time of its subtests is part of its own
}

type junitFile struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`

	milliseconds float64
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	File      string        `xml:"file,attr,omitempty"`
	Line      int           `xml:"line,attr,omitempty"`
	Time      string        `xml:"time,attr"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"` // of a suite: the tests in it could not be run as they should
	Skipped   *junitSkipped `xml:"skipped"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr,omitempty"`
}

func (r *junit) Report(e *Event) error {
	if e.Type == TypePlan {
		r.files = append(r.files, &junitFile{Name: r.relative(e.Name)})
		return nil
	}
	if e.Type == TypeStart && e.Kind == KindTest && r.inside == "" {
		r.inside = e.FullName()
	}
	if !isResult(e) {
		return nil
	}
	last := len(r.files) - 1
	if last < 0 || len(e.Path) == 0 && r.files[last].Name != r.relative(e.Name) { // one that could not be evaluated has no plan
		r.files = append(r.files, &junitFile{Name: r.relative(e.File)})
		last++
	}
	file := r.files[last]
	c := junitCase{
		Name:      r.title(e),
		ClassName: file.Name,
		File:      r.relative(e.File),
		Line:      e.Line,
		Time:      seconds(e.DurationMS),
	}
	file.Tests++
	if e.Kind == KindTest && (r.inside == "" || r.inside == e.FullName()) {
		file.milliseconds += e.DurationMS
		r.inside = ""
	}
	switch {
	case e.Type == TypeSkip, e.Type == TypeTodo:
		file.Skipped++
		c.Skipped = &junitSkipped{Message: strings.TrimRight(strings.ToUpper(e.Type)+" "+e.Reason, " ")}
	case e.Type == TypeFail && e.Kind == KindSuite:
		file.Errors++
		c.Error = r.fault(e)
	case e.Type == TypeFail:
		file.Failures++
		c.Failure = r.fault(e)
	}
	file.Cases = append(file.Cases, c)
	return nil
}

func (r *junit) fault(e *Event) *junitProblem {
	if e.Error == nil {
		return &junitProblem{}
	}
	message, _, _ := strings.Cut(e.Error.Title(), "\n")
	return &junitProblem{Message: message, Type: e.Error.Name, Text: "\n" + r.problem(e)}
}

func (r *junit) Close(s *Summary) error {
	for _, file := range r.files {
		file.Time = seconds(file.milliseconds)
	}
	document := struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Time     string       `xml:"time,attr"`
		Files    []*junitFile `xml:"testsuite"`
	}{Tests: s.Tests, Failures: s.Fail, Time: seconds(milliseconds(s.Duration)), Files: r.files}
	text, err := xml.MarshalIndent(&document, "", "  ")
	if err != nil {
		return err
	}
	r.printf("%s%s\n", xml.Header, text)
	return r.err
}

func seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 6, 64) }
