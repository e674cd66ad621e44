package vmheap

// Each case is a piece of JavaScript.  A(name) is a class whose constructor
// registers `this` under a name; dead(...names) runs a collection and says that
// every named object must be gone; live(...names) that it must be there.
type staleCase struct {
	name string
	js   string
	// asyncOnly: needs await (run as the body of an async function)
	async   bool
	retains string // what goja keeps although nothing needs it
}

var staleCases = []staleCase{
	// --- the simplest
	{name: "null_local", js: `let x = new A('a'); x = null; dead('a')`},
	{name: "iife_local", js: `(function(){ let x = new A('a'); })(); dead('a')`},
	{name: "bare_new", js: `new A('a'); dead('a')`},
	{name: "forEach_temp", js: `[new A('a')].forEach(function(e){}); dead('a')`},
	{name: "forEach_inside", js: `[new A('a')].forEach(function(e){ live('a') }); dead('a')`},
	{name: "try_catch_throw", js: `try { throw new A('a') } catch (e) {} dead('a')`},
	{name: "try_catch_inner", js: `(function(){ try { let y = new A('a'); throw new Error('x') } catch (e) {} })(); dead('a')`},
	{name: "try_finally", js: `(function(){ try { return new A('a') } finally { } })(); dead('a')`},
	{name: "throw_through_frames", js: `function f(n){ let z = new A('a'+n); if (n == 0) throw new Error('deep'); f(n-1) } try { f(20) } catch (e) {} dead('a0','a7','a20')`},
	{name: "destructure_obj", js: `let {p} = {p: new A('a')}; p = null; dead('a')`},
	{name: "destructure_arr", js: `let [p,q] = [new A('a'), new A('b')]; live('a','b'); p = q = null; dead('a','b')`},
	{name: "destructure_rest", js: `let {p, ...rest} = {p: 1, q: new A('a')}; rest = null; dead('a')`},
	{name: "expr_temporaries", js: `let n = (new A('a'), 1) + new A('b').n + (new A('c') ? 1 : 2); dead('a','b','c')`},
	{name: "gc_inside_expr", js: `let n = new A('a').n + dead('a') + new A('b').n; dead('b')`},
	{name: "deep_recursion", js: `function f(n){ let z = new A('a'+n); if (n > 0) f(n-1); return 1 } f(200); dead('a0','a100','a200')`},
	{name: "block_scope", js: `{ let x = new A('a'); } dead('a')`},
	{name: "block_scope_captured", js: `{ let x = new A('a'); (function(){ return x })(); } dead('a')`},
	// --- calls
	{name: "arg_dropped_in_callee", js: `function f(a){ live('a'); a = null; dead('a') } f(new A('a'))`},
	{name: "arg_captured_dropped", js: `function f(a){ const g = () => a; live('a'); a = null; dead('a'); return g } f(new A('a'))`},
	{name: "arg_default_captured", js: `function f(a, b = () => a){ a = null; dead('a'); } f(new A('a'))`},
	{name: "extra_arg", js: `function f(a){ } f(1, new A('a')); dead('a')`},
	{name: "extra_arg_inside", js: `function f(a){ dead('a') } f(1, new A('a'))`, retains: "retains a"},                                            // an argument of a running call is a root, parameter or not
	{name: "arguments_object", js: `function f(){ let n = arguments.length; arguments[0] = null; dead('a') } f(new A('a'))`, retains: "retains a"}, // an argument of a running call is a root
	{name: "arguments_after", js: `function f(){ return arguments.length } f(new A('a')); dead('a')`},
	{name: "rest_args", js: `function f(...r){ r.length = 0; dead('a') } f(new A('a'))`, retains: "retains a"}, // an argument of a running call is a root
	{name: "spread_call", js: `function f(x,y){ return 1 } f(...[new A('a'), new A('b')]); dead('a','b')`},
	{name: "result_ignored", js: `function f(){ return new A('a') } f(); dead('a')`},
	{name: "method_after", js: `new A('a').m(); dead('a')`},
	{name: "method_inside", js: `new A('a').call(function(){ live('a') }); dead('a')`},
	{name: "bound_call_apply", js: `(function(){ return this.n }).call(new A('a')); (function(){}).apply(null,[new A('b')]); (function(){}).bind(new A('c'))(); dead('a','b','c')`},
	{name: "closure_dropped", js: `let g = (function(){ let x = new A('a'); return () => x })(); live('a'); g = null; dead('a')`},
	{name: "arrow_this_dropped", js: `let g = new A('a').arrow(); live('a'); g = null; dead('a')`},
	{name: "ctor_throws", js: `try { new AThrow('a') } catch (e) {} dead('a')`},
	{name: "derived_class", js: `let x = new B('a'); live('a'); x = null; dead('a')`},
	{name: "derived_bare", js: `new B('a'); dead('a')`},
	{name: "super_chain", js: `(function(){ let x = new C('a'); x.m(); })(); dead('a')`},
	{name: "private_field", js: `let x = new A('a'); x.setPriv(new A('b')); live('b'); x = null; dead('a','b')`},
	{name: "getter_setter", js: `let x = new A('a'); x.val = new A('b'); x.val; x = null; dead('a','b')`},
	{name: "static_prop", js: `A.s = new A('a'); live('a'); A.s = null; dead('a')`},
	{name: "prop_chain_temp", js: `let n = new A('a').self.self.self.n; dead('a')`},
	{name: "optional_chain", js: `let n = new A('a')?.self?.nope?.x; dead('a')`},
	{name: "in_instanceof_delete", js: `('n' in new A('a')); (new A('b') instanceof A); delete new A('c').n; typeof new A('d'); void new A('e'); dead('a','b','c','d','e')`},
	{name: "compare_eq", js: `new A('a') === new A('b'); new A('c') == null; dead('a','b','c')`},
	{name: "cond_and_or", js: `let t = new A('a') && 1; t = new A('b') ? 0 : 1; t = null ?? (new A('c'), 2); dead('a','b','c')`},
	{name: "swap", js: `let a = new A('a'), b = new A('b'); [a,b] = [b,a]; a = null; dead('b'); b = null; dead('a')`},
	{name: "template_literal", js: "let s = `${new A('a')}`; dead('a')"},
	{name: "obj_literal_temp", js: `let o = {x: {y: new A('a')}}; o = 1; dead('a')`},
	{name: "computed_key", js: `let o = {[new A('a')]: 1}; dead('a')`},
	{name: "compound_assign", js: `let o = {x: 1}; o.x += new A('a').n; o[new A('b').k] = 1; o = null; dead('a','b')`},
	// --- loops, iterators
	{name: "for_of", js: `for (const e of [new A('a'), new A('b')]) { } dead('a','b')`},
	{name: "for_of_break", js: `for (const e of [new A('a'), new A('b')]) { break } dead('a','b')`},
	{name: "for_of_throw", js: `try { for (const e of [new A('a'), new A('b')]) { throw 1 } } catch (x) {} dead('a','b')`},
	{name: "for_of_captured", js: `for (const e of [new A('a')]) { (() => e)() } dead('a')`},
	{name: "for_let_captured", js: `for (let e = new A('a'), i = 0; i < 2; i++) { (() => e)() } dead('a')`},
	{name: "for_in", js: `for (const k in new A('a')) { } dead('a')`},
	{name: "for_of_iteration_dead", js: `let arr = [1,2,3]; let i = 0; for (const e of arr) { if (i > 0) dead('x'+(i-1)); let t = new A('x'+i); i++; } dead('x2')`},
	{name: "while_loop_dead", js: `let i = 0; while (i < 3) { if (i > 0) dead('x'+(i-1)); let t = new A('x'+i); i++; } dead('x2')`},
	{name: "map_forEach", js: `new Map([[1,new A('a')]]).forEach(v => {}); for (const [k,v] of new Map([[new A('b'),1]])) {} dead('a','b')`},
	{name: "set_spread", js: `[...new Set([new A('a')])].length; dead('a')`},
	{name: "array_methods", js: `[1,2,3].map(i => new A('m'+i)).filter(e => e.n).sort((x,y) => x.k < y.k ? 1 : -1).reduce((p,c) => p + c.n, 0); [new A('q')].find(e => true); dead('m1','m2','m3','q')`},
	{name: "map_cb_gc_live", js: `let r = [1,2].map(i => { if (i == 2) live('m1'); return new A('m'+i) }); live('m1','m2'); r = null; dead('m1','m2')`},
	{name: "from_cb_gc_live", js: `let r = Array.from([1,2], i => { if (i == 2) live('m1'); return new A('m'+i) }); r = null; dead('m1','m2')`},
	{name: "sort_cb_gc_live", js: `let r = [new A('a'), new A('b'), new A('c')].sort((x,y) => { live('a','b','c'); return x.k < y.k ? 1 : -1 }); r = null; dead('a','b','c')`},
	{name: "replace_cb_gc", js: `'xy'.replace(/x/g, () => { let t = new A('a'); t = null; dead('a'); return '' })`},
	{name: "json", js: `JSON.stringify({x: new A('a'), y: [new A('b')]}); dead('a','b')`},
	{name: "json_toJSON_gc", js: `JSON.stringify([{toJSON(){ let t = new A('a'); t = null; dead('a'); return 1 }}])`},
	{name: "array_pop_shift", js: `let r = [new A('a'), new A('b'), new A('c')]; r.pop(); dead('c'); r.shift(); dead('a'); r.length = 0; dead('b')`},
	{name: "array_splice", js: `let r = [new A('a'), new A('b'), new A('c'), new A('d')]; r.splice(1,2); dead('b','c'); live('a','d')`},
	{name: "array_delete_fill", js: `let r = [new A('a'), new A('b')]; delete r[0]; dead('a'); r.fill(0); dead('b')`},
	{name: "map_set_delete", js: `let m = new Map([[1,new A('a')],[new A('b'),2]]); m.delete(1); dead('a'); m.clear(); dead('b'); let s = new Set([new A('c')]); s.clear(); dead('c')`},
	{name: "obj_prop_delete", js: `let o = {x: new A('a'), y: new A('b')}; delete o.x; dead('a'); o.y = 1; dead('b')`},
	// --- generators
	{name: "gen_done", js: `function* g(){ let x = new A('a'); yield 1; yield x } for (const v of g()) {} dead('a')`},
	{name: "gen_suspended_live", js: `function* g(){ let x = new A('a'); yield 1; live('a'); x.n } let it = g(); it.next(); live('a'); it.next(); it = null; dead('a')`},
	{name: "gen_abandoned", js: `function* g(){ let x = new A('a'); yield 1; x.n } g().next(); dead('a')`},
	{name: "gen_null_after_yield", js: `function* g(){ let x = new A('a'); yield 1; x = null; dead('a') } let it = g(); it.next(); it.next();`},
	{name: "gen_null_after_yield_forof", js: `function* g(){ let x = new A('a'); yield 1; x = null; dead('a') } for (const v of g()) {}`},
	{name: "gen_null_after_yield_spread", js: `function* g(){ let x = new A('a'); yield 1; x = null; dead('a') } [...g()].length`},
	{name: "gen_done_held", js: `function* g(){ let x = new A('a'); yield 1; x.n } let it = g(); it.next(); it.next(); dead('a'); it.next()`},
	// --- eval, with (sloppy)
	{name: "eval_temp", js: `eval("new A('a')"); dead('a')`},
	{name: "eval_var", js: `(function(){ eval("var x = new A('a')"); })(); dead('a')`},
	{name: "new_function", js: `new Function("let x = new A('a'); x.n")(); dead('a')`},
	{name: "symbol_iterator_proto", js: `let o = {[Symbol.iterator]() { let x = new A('a'); return {next(){ return {done: true, value: x} }, return(){ return {} }} }}; [...o]; let [z] = o; dead('a')`},
	{name: "proxy", js: `let p = new Proxy(new A('a'), {get(t,k){ return t[k] }}); p.n; live('a'); p = null; dead('a')`},
	{name: "weakmap_key", js: `let w = new WeakMap(); let x = new A('a'); w.set(x, 1); x = null; dead('a')`},
	{name: "weakmap_value_cycle", js: `let w = new WeakMap(); let x = new A('a'); w.set(x, {back: x}); x = null; dead('a')`},
	{name: "cycle", js: `(function(){ let x = new A('a'), y = new A('b'); x.o = y; y.o = x; y.list = [x, {z: y}]; })(); dead('a','b')`},
	{name: "self_closure_cycle", js: `(function(){ let x = new A('a'); x.h = () => x; x.g = (function*(){ yield x })(); x.g.next(); })(); dead('a')`},
	{name: "error_stack", js: `let e1; try { (function(o){ throw new TypeError('x') })(new A('a')) } catch (e) { e1 = e } dead('a')`},
	{name: "switch_label", js: `l: for (;;) { switch (new A('a').n) { case 1: break l; default: break l } } dead('a')`},
	{name: "regexp_lastmatch", js: `/x/.exec(new A('a')); dead('a')`},
	{name: "stack_growth_under_native", js: `(function(){ (function(p,q,r,s,t,u,v,w){ let z = new A('z'); })(new A('a'),new A('b'),new A('c'),new A('d'),new A('e'),new A('f'),new A('g'),new A('h')); [1].forEach(function(){ (function rec(n){ let a1=1,a2=2,a3=3; return n > 0 ? rec(n-1)+a1+a2+a3 : 0 })(300); dead('a','b','c','d','e','f','g','h','z') }) })()`},
	// --- async
	{name: "async_fn_sync_part", js: `(async function(){ let x = new A('a'); })(); dead('a')`},
	{name: "async_local_no_await", async: true, js: `let x = new A('a'); x = null; dead('a')`},
	{name: "async_null_after_await", async: true, js: `let x = new A('a'); await 0; live('a'); x = null; dead('a')`},
	{name: "async_live_across_await", async: true, js: `let x = new A('a'); await 0; live('a'); await 0; live('a'); x.n; x = null; await 0; dead('a')`},
	{name: "async_completed", async: true, js: `await (async () => { let x = new A('a'); await 0; x.n })(); dead('a')`},
	{name: "async_value", async: true, js: `await new A('a'); dead('a')`, retains: "retains a"},                                               // the job that resumes the function has its value in a Go frame
	{name: "async_value2", async: true, js: `let x = await (async () => new A('a'))(); live('a'); x = null; dead('a')`, retains: "retains a"}, // as above
	{name: "async_value2_later", async: true, js: `let x = await (async () => new A('a'))(); live('a'); x = null; await 0; await 0; dead('a')`},
	{name: "async_other_thread_live", async: true, js: `let go; const p = new Promise(r => go = r); const t = (async () => { let x = new A('a'); await p; live('a'); x.n })(); await 0; live('a'); go(); await t; await 0; await 0; dead('a')`},
	{name: "async_other_thread_done", async: true, js: `let go; const p = new Promise(r => go = r); const t = (async () => { let x = new A('a'); await p; x.n })(); await 0; go(); await t; dead('a')`},
	{name: "async_try_catch", async: true, js: `try { await (async () => { let x = new A('a'); await 0; throw new Error('e') })() } catch (e) {} dead('a')`},
	{name: "async_throw_obj", async: true, js: `try { await (async () => { await 0; throw new A('a') })() } catch (e) {} dead('a')`, retains: "retains a"},                                                           // as above
	{name: "async_promise_all", async: true, js: `let r = await Promise.all([1,2].map(async i => { await 0; return new A('a'+i) })); live('a1','a2'); r = null; dead('a1','a2')`, retains: "retains a1, retains a2"}, // as above
	{name: "async_promise_all_later", async: true, js: `let r = await Promise.all([1,2].map(async i => { await 0; return new A('a'+i) })); r = null; await 0; dead('a1','a2')`, retains: "retains a1, retains a2"},   // the array of the promise that was awaited
	{name: "then_arg", async: true, js: `await Promise.resolve().then(() => new A('a')).then(o => o.n); dead('a')`},
	{name: "async_for_loop", async: true, js: `for (let i = 0; i < 3; i++) { let t = new A('x'+i); await 0; if (i > 0) dead('x'+(i-1)); }`},
	{name: "async_nested_awaits", async: true, js: `const f = async (n) => { let x = new A('n'+n); if (n > 0) await f(n-1); else await 0; return n }; await f(5); await 0; dead('n0','n3','n5')`},
	{name: "async_generator_mix", async: true, js: `function* g(){ let x = new A('a'); yield 1; x = null; dead('a') } await 0; let it = g(); it.next(); await 0; it.next()`},
}
