package crash

// packageJSON and classes are the package that is deployed. A Node has a resource at the provider, and is
// written as docs/javascript.md advises: what it asks for is idempotent, by GC.token; that it has asked is noted before;
// recover() finds out what a crash has left open.
const packageJSON = `{"name": "app", "version": "1.0.0", "main": "index.js"}`

const classes = `
import { Resource, GC } from "sexton";
import { create, size, note, remove } from "test/provider";

export class Node extends Resource {
	static properties = {
		on: { type: ["Node"], default: [] },          // these cannot go before it: its network
		watch: { type: ["Node"], default: [] },       // it is told before these go
		nodes: { type: ["Node"], default: [] },       // its own
		size: { type: "integer", default: 0 },
		want: { type: "integer", default: 0 },        // so many parts
		temporary: { type: "integer", default: 0 },   // so many objects of a local variable
		collect: { type: "boolean", default: false }, // while it is deployed
		rescue: { type: "boolean", default: false },  // keeps what it is told of
		refuse: { type: "integer", default: 0 },      // so often the provider refuses to delete its resource
		balk: { type: "integer", default: 0 },        // so often the provider refuses to make it
		asked: { type: "boolean", usage: "out", default: false },
		resource: { type: "string", usage: "out", optional: true },
		has: { type: "integer", usage: "out", default: 0 },     // its size at the provider; -1: not known
		changes: { type: "integer", usage: "out", default: 0 },
		parts: { type: ["Node"], usage: "out", default: [] },
		saved: { type: ["Node"], usage: "out", default: [] },
		making: { usage: "runtime" },
	};
	constructor(properties, owner, options) {
		super(properties, owner, options);
		for (const node of this.on) GC.subscribeDestruction(this, node);
		for (const node of this.watch) GC.subscribeDestruction(node, this, "gone");
	}
	recover(effects) {
		for (const { op, outcome } of effects) {
			if (op === "test/provider.create" && !this.resource) {
				this.asked = true;
				if (outcome?.result) this.resource = outcome.result.answer;
			} else if (op === "test/provider.size") {
				this.changes++;
				this.has = -1;
			}
		}
	}
	made() { return this.making ??= this.make(); }
	async make() {
		const under = [...this.on];
		if (this.$owner instanceof Node) under.push(this.$owner);
		await Promise.all(under.map((node) => node.made()));
		if (!this.resource) {
			this.asked = true;
			({ answer: this.resource } = await create({ on: under.map((node) => node.resource), refuse: this.balk }, { of: this }));
		}
		if (this.has !== this.size) {
			this.changes++;
			this.has = -1;
			await size({ resource: this.resource, size: this.size, change: this.changes }, { of: this });
			this.has = this.size;
		}
	}
	async deploy() {
		await this.made();
		this.parts = this.parts.slice(0, this.want);
		while (this.parts.length < this.want) this.parts.push(new Node({}, this, { id: this.$id + "-" + this.parts.length }));
		for (let i = 0; i < this.temporary; i++) {
			const node = new Node({ on: [this] }, null, { id: this.$id + "-t" + i });
			await node.deploy();
		}
		if (this.collect) await GC.collect();
		await Promise.all([...this.nodes, ...this.parts].map((node) => node.deploy()));
	}
	async gone(node) {
		await note({ about: GC.token(node) });
		if (this.rescue) this.saved.push(node);
	}
	async destroy() {
		if (this.asked && !this.resource) ({ answer: this.resource } = await create({ on: [] })); // or what was made
		if (this.resource) await remove({ resource: this.resource, refuse: this.refuse });
	}
}

export class Other extends Node {}
`
