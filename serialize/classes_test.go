package serialize

import (
	"slices"

	"github.com/sextongc/sexton/objectstore"
)

// classList is a registry without JavaScript.
type classList []*objectstore.Class

func (l classList) Lookup(name string) (*objectstore.Class, error) {
	var found []*objectstore.Class
	for _, c := range l {
		if c.Name == name {
			return c, nil
		}
		if c.Short() == name {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return nil, &Error{Msg: "unknown type " + name}
	case 1:
		return found[0], nil
	}
	return nil, &Error{Msg: "type " + name + " is ambiguous: " + found[0].Name + ", " + found[1].Name}
}

func (l classList) Names() []string {
	var names []string
	for _, c := range l {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}

func kind(k objectstore.Kind) *objectstore.Type { return &objectstore.Type{Kind: k} }
func object(c *objectstore.Class) *objectstore.Type {
	return &objectstore.Type{Kind: objectstore.KindClass, Class: c}
}
func listOf(t *objectstore.Type) *objectstore.Type {
	return &objectstore.Type{Kind: objectstore.KindList, Elem: t}
}
func mapOf(t *objectstore.Type) *objectstore.Type {
	return &objectstore.Type{Kind: objectstore.KindMap, Elem: t}
}

func optional(name string, t *objectstore.Type) *objectstore.Property {
	return &objectstore.Property{Name: name, Type: t, Optional: true}
}

func used(u objectstore.Usage, p *objectstore.Property) *objectstore.Property {
	p.Usage = u
	return p
}

func withDefault(v objectstore.Value, p *objectstore.Property) *objectstore.Property {
	p.HasDefault, p.Default, p.Optional = true, v, false
	return p
}

// testClasses is a small world: networks with subnets, machines in networks, and Sample with a property of
// each type.
func testClasses() classList {
	resource := &objectstore.Class{Name: "Resource", Builtin: true}
	environment := &objectstore.Class{Name: "Environment", Base: resource, Builtin: true}
	subnet := &objectstore.Class{Name: "shop/Subnet", Version: "1.0.0", Base: resource}
	gateway := &objectstore.Class{Name: "shop/Gateway", Version: "1.0.0", Base: resource}
	fast := &objectstore.Class{Name: "shop/FastGateway", Version: "1.0.0", Base: gateway}
	network := &objectstore.Class{Name: "shop/Network", Version: "1.0.0", Base: resource}
	vm := &objectstore.Class{Name: "shop/Vm", Version: "1.0.0", Base: resource}
	sample := &objectstore.Class{Name: "shop/Sample", Version: "1.0.0", Base: resource}
	one := &objectstore.Class{Name: "a/Twice", Base: resource}
	two := &objectstore.Class{Name: "b/Twice", Base: resource}

	text := kind(objectstore.KindString)
	environment.Properties = []*objectstore.Property{
		optional("name", text),
		withDefault([]objectstore.Value{}, optional("applications", listOf(object(resource)))),
	}
	subnet.Properties = []*objectstore.Property{optional("range", text)}
	gateway.Properties = []*objectstore.Property{optional("speed", kind(objectstore.KindNumber))}
	fast.Properties = gateway.Properties
	network.Properties = []*objectstore.Property{
		{Name: "cidr", Type: text},
		withDefault([]objectstore.Value{}, optional("subnets", listOf(object(subnet)))),
		optional("gateway", object(gateway)),
		used(objectstore.UsageConst, withDefault("eu", optional("region", text))),
		used(objectstore.UsageOut, optional("netId", text)),
		used(objectstore.UsageRuntime, optional("client", kind(objectstore.KindAny))),
		used(objectstore.UsageConfig, optional("provider", text)),
		used(objectstore.UsageInOut, withDefault([]objectstore.Value{}, optional("made", listOf(object(resource))))),
		used(objectstore.UsageOut, optional("current", object(vm))),
	}
	big := &objectstore.Class{Name: "shop/BigNetwork", Version: "1.0.0", Base: network, Properties: network.Properties}
	vm.Properties = []*objectstore.Property{optional("network", object(network)), optional("size", kind(objectstore.KindInteger))}
	shape := &objectstore.Type{Kind: objectstore.KindShape, Fields: []*objectstore.Property{
		{Name: "host", Type: text},
		withDefault(80.0, optional("port", kind(objectstore.KindInteger))),
		optional("vm", object(vm)),
	}}
	sample.Properties = []*objectstore.Property{
		optional("any", kind(objectstore.KindAny)),
		optional("string", text),
		optional("number", kind(objectstore.KindNumber)),
		optional("integer", kind(objectstore.KindInteger)),
		optional("boolean", kind(objectstore.KindBoolean)),
		optional("bytes", kind(objectstore.KindBytes)),
		optional("date", kind(objectstore.KindDate)),
		optional("secret", kind(objectstore.KindSecret)),
		optional("vm", object(vm)),
		optional("labels", mapOf(text)),
		optional("byZone", mapOf(object(vm))),
		optional("rows", listOf(listOf(kind(objectstore.KindNumber)))),
		optional("endpoint", shape),
		optional("endpoints", listOf(shape)),
		optional("mode", &objectstore.Type{Kind: objectstore.KindEnum, Enum: []objectstore.Value{"slow", "fast", 3.0}}),
	}
	return classList{resource, environment, subnet, gateway, fast, network, vm, sample, big, one, two}
}
