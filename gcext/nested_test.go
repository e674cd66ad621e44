package gcext_test

import "testing"

// gc 5.7
func TestCollectInACollection(t *testing.T) {
	const show = `const show = (r) => JSON.stringify(r);
	`
	testExamples(t, []example{
		{name: "a handler and a destructor do not wait for themselves", source: show + ` // gc 5.7
			class S extends A {
				async told(p) { log("told", show(await GC.collect())); }
				async destroy() {
					log("destroy()", show(await GC.collect()));
					await sleep(1);
					log("later", show(await GC.collect()));
					await new Promise((r) => setTimeout(async () => { log("timer", show(await GC.collect())); r(); }, 1));
					await Promise.resolve().then(() => GC.collect()).then((r) => log("then", show(r)));
					await (async () => { await 0; queueMicrotask(() => GC.collect().then((r) => log("microtask", show(r)))); await sleep(1); })();
				}
			}
			export default async (root) => {
				const h = make("h", S);
				((x) => GC.subscribeDestruction(x, h, "told"))(make("x", S));
				log(show(await GC.collect()), h.$id);
			};`, want: `notify h of x
			told {"deferred":true}
			destroy x
			destroy() {"deferred":true}
			later {"deferred":true}
			timer {"deferred":true}
			then {"deferred":true}
			microtask {"deferred":true}
			destroyed x
			{"destroyed":1,"notified":1,"rounds":1,"failed":[],"blocked":[]} h`},
		{name: "a deferred one is one more round", source: show + ` // gc 5.7, 2.8
			class S extends A { destroy() { if (this.next) { this.next = null; GC.collect(); } else log("last"); } }
			let root;
			export default async (r) => {
				root = r;
				root.kept = make("y", S);
				class D extends A { async destroy() { delete root.kept; log(show(await GC.collect()), GC.isDoomed(make("probe"))); } }
				(() => { make("x", D); })();
				log(show(await GC.collect()));
			};`, want: `destroy x
			{"deferred":true} false
			destroyed x
			destroy y
			last
			destroyed y
			destroy probe
			destroyed probe
			{"destroyed":3,"notified":0,"rounds":2,"failed":[],"blocked":[]}`},
		{name: "others wait for the one that runs", source: show + ` // gc 5.7
			let go;
			class S extends A { async destroy() { log("begin"); await new Promise((r) => { go = r; }); log("end"); } }
			export default async (root) => {
				(() => { make("x", S); })();
				const first = GC.collect().then((r) => log("first", show(r)));
				const second = GC.collect().then((r) => log("second", show(r)));
				(() => { make("y"); })();
				const third = sleep(1).then(() => GC.collect()).then((r) => log("third", show(r)));
				await sleep(2);
				go();
				await Promise.all([first, second, third]);
			};`, want: `destroy x
			begin
			end
			destroyed x
			destroy y
			destroyed y
			first {"destroyed":2,"notified":0,"rounds":2,"failed":[],"blocked":[]}
			second {"destroyed":2,"notified":0,"rounds":2,"failed":[],"blocked":[]}
			third {"destroyed":2,"notified":0,"rounds":2,"failed":[],"blocked":[]}`},
		{name: "it is the async context that counts", source: show + ` // gc 5.7
			let signal, go;
			class S extends A {
				async destroy() {
					log("begin");
					signal();                                    // resolves a promise that others wait for
					const late = go;
					await new Promise((r) => { go = r; });
					root.listener();                             // a function of others, called from here
				}
			}
			let root;
			export default async (r) => {
				root = r;
				(() => { make("x", S); })();
				const outside = new Promise((r) => { signal = r; }).then(() => { log("outside"); return GC.collect(); }).then((r) => log("outside", show(r)));
				root.listener = () => { GC.collect().then((r) => log("inside", show(r))); };
				const first = GC.collect();
				await sleep(1);
				go();
				log(show(await first));
				await outside;
			};`, want: `destroy x
			begin
			outside
			inside {"deferred":true}
			destroyed x
			{"destroyed":1,"notified":0,"rounds":1,"failed":[],"blocked":[]}
			outside {"destroyed":1,"notified":0,"rounds":1,"failed":[],"blocked":[]}`},
		{name: "what goes on after its collection has ended is outside of the next", source: show + ` // gc 5.7
			class S extends A { destroy() { setTimeout(async () => { const r = await GC.collect(); log(show(r)); root.done(); }, 5); } }
			class T extends A { async destroy() { await sleep(20); } }
			let root;
			export default async (r) => {
				root = r;
				const done = new Promise((resolve) => { root.done = resolve; });
				(() => { make("x", S); })();
				await GC.collect();
				(() => { make("y", T); })();
				await GC.collect();
				await done;
			};`, want: `destroy x
			destroyed x
			destroy y
			destroyed y
			{"destroyed":1,"notified":0,"rounds":1,"failed":[],"blocked":[]}`},
	})
}
