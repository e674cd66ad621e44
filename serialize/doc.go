// Package serialize turns an environment at rest (objectstore.Graph) into text and back.
//
// It knows two kinds of documents. A model is what an operator writes, in JSON or YAML, nested or flat,
// and says what the environment is to be; DecodeModel checks it against the declared classes, and Merge
// puts it together with what is stored. A snapshot is what Sexton writes: flat, canonical, complete, with
// a digest. Each snapshot is a model as well.
//
// The package is pure: no JavaScript, no files, no clock. Its functions may be called from several
// goroutines at once, as long as nobody writes to the graphs that they are given. An objectstore.Class
// indexes itself at first use, so two models are not to be read with the same classes at the same time.
//
// # The canonical form of a snapshot
//
//	{ "sexton": 1, "root": "shop",
//	  "objects": [
//	    { "?": { "id": "net", "type": "shop/Network", "version": "1.0.0", "owner": "shop" },
//	      "cidr": "10.0.0.0/24",
//	      "subnets": [ { "$ref": "a" } ] },
//	    { "?": { "id": "a", "type": "shop/Subnet", "version": "1.0.0", "owner": "net" } } ],
//	  "digest": "sha256:…" }
//
// UTF-8 without a byte order mark, one line feed after each line, the last one included. The first line
// begins the document, with its root if there is one. Each object begins a line, indented by four spaces;
// each of its properties, in the given order, has a line of its own, indented by six, whatever its value:
// indentation that grew with depth would make deep values quadratic in size. Objects are separated by a
// comma, the last one is followed by " ],". Within a line, a colon and a comma are followed by one space,
// brackets have one space inside, and empty ones are [] and {}.
//
// A header has, in this order and only where they are not empty, zero or false: id, type, version, name,
// owner, incarnation, destroyed, doomed, protect, notified, completed, failure, dependencies. The three
// before the last are of doomed objects only; notified is written when it is false. A subscription has
// subscriber, handler if there is one, count if it is more than 1, and told only where notified is written.
//
// Numbers are written as ECMAScript's Number::toString does, strings with the fewest escapes (RFC 8785).
// Values that JSON has no form for are objects with one key, a tag: {"$ref": id}, {"$date": ISO 8601 in
// UTC with milliseconds, or null}, {"$bytes": base64}, {"$bigint": decimal digits}, {"$map": [[key,
// value], …]}, {"$set": [item, …]}, {"$number": "NaN", "Infinity", "-Infinity" or "-0"},
// {"$undefined": true}, {"$secret": text}, and {"$sealed": text} for a secret that is encrypted. A plain
// key that begins with $ is written with a second $, the plain key ? as $?.
//
// The digest is SHA-256, in hexadecimal, of the canonical document without the digest: the text up to and
// including the bracket that ends the objects, then a space, a closing brace and a line feed.
//
// # Limits
//
// Documents nest at most 10,000 levels deep (a snapshot itself takes three of them), a BigInt has at most
// 100,000 digits, and a YAML document expands to at most a hundred nodes per byte of its text. Everything
// else is bounded by memory: EncodeSnapshot holds the text once, DecodeSnapshot the text, the graph, and
// the nodes of one object at a time.
package serialize
