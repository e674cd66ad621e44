// What Sexton offers to scripts, for editors and type checkers. `sexton types` writes this file anew.
//
// It declares the modules "sexton", "sexton/process", "sexton/fs" and "sexton/test", and the globals. Together with
// "lib": ["ES2023"] it is all that there is: neither the DOM nor Node's modules exist.

declare module "sexton" {
  /**
   * The base class of everything that Sexton manages. An object of a class that extends it owns something real: it makes
   * it in `deploy()`, and removes it in `destroy()`, which Sexton calls once, when nothing refers to the object any more.
   *
   * ```ts
   * class Network extends Resource.with({
   *   cidr: "string",                                        // given by the model
   *   netId: { type: "string", usage: "out", optional: true }, // set by scripts, saved
   * }) {
   *   async deploy() { this.netId ??= await create(this.cidr); }
   *   async destroy() { if (this.netId) await remove(this.netId); }
   * }
   * ```
   */
  export class Resource {
    /**
     * Returns a class to extend, in which properties are declared; instances have them with their types. It does what
     * `static properties = { … }` does, which works as well, but which type checkers learn nothing from. What the base
     * class declares is inherited.
     *
     * A class cannot stand in its own declarations: name it there (`type: "Network"`), and say `declare peer: Network` in it.
     */
    static with<B extends ResourceClass, const P extends Properties>(this: B, properties: P & NoInfer<Checked<P>>): Extended<B, P>;

    /**
     * If a class defines it: returns the properties of now, made of those that an older version of the package has saved. It
     * runs before the object exists, once: plain data goes in and comes out, with references as `{ $ref: id }`.
     * @param fromVersion what package.json said when they were saved; `""` if it said nothing
     */
    static migrate?(properties: any, fromVersion: string): object;

    /**
     * Makes an object. The constructor runs again, with the saved properties, each time that the object is loaded; declared
     * properties are set once it returns. Constructors of one's own take the same arguments and pass them on:
     * `constructor(properties: Given<typeof Network>, owner?: Resource | null, options?: ObjectOptions)`.
     * @param properties the declared properties; a plain object where a class is expected becomes an object of it, owned by this one
     * @param owner the object that this one is a part of: it is destroyed before its owner, and keeps its owner alive
     * @throws {TypeError} if a property is missing, unknown, or not of its type, or if the id is taken
     */
    constructor(properties?: object, owner?: Resource | null, options?: ObjectOptions);

    /** The id: unique in the environment, the same in every deployment. */
    readonly $id: string;
    /** The qualified name of the class: `"shop/Network"`. */
    readonly $type: string;
    /** The name that the model, or `new`, gave it. */
    readonly $name: string | undefined;
    /** The object that this one is a part of, or `null`. */
    readonly $owner: Resource | null;
    /** The nearest owner of a class, this object itself excluded; `null` if there is none. */
    $find<T extends Resource>(type: ResourceClass<T>): T | null;
    $find(type: string): Resource | null;

    /** Makes the outside what the properties say. Every deployment calls it, so it has to accept what is there already. */
    deploy?(): unknown;
    /**
     * Removes what the object owns. Only the collector calls it, and after an interruption once more: it has to accept
     * what is gone already. If it throws, the object stays, and the next deployment tries again.
     */
    destroy?(): unknown;
    /** Runs once after the environment was loaded, when all objects are there. */
    loaded?(): unknown;
    /**
     * Runs after a crash, before anything else: with the effects of this object whose results no checkpoint has saved. It
     * can look for what they made, and set its properties.
     */
    recover?(effects: RecoveredEffect[]): unknown;
  }

  /** The root of an environment. A class that extends it may have properties and methods of its own, but no `destroy()`. */
  export class Environment extends Resource {
    /** The declarations of its properties. */
    static readonly properties: {
      readonly name: { readonly type: "string"; readonly optional: true };
      readonly applications: { readonly type: readonly ["Resource"]; readonly default: readonly [] };
    };
    constructor(properties?: { readonly name?: string | null; readonly applications?: readonly object[] }, owner?: null, options?: ObjectOptions);
    name: string | null | undefined;
    /** What the model lists; `deploy()` calls theirs, one after another. */
    applications: Resource[];
    deploy(): Promise<void>;
  }

  /** Thrown by everything that is tried with a destroyed object. Its `$id`, `$type`, `$name` and properties can still be read. */
  export class ObjectDestroyedError extends Error {}

  /** Thrown where a script does what nobody permitted. The message names the flag that would. */
  export class PermissionDenied extends Error {
    readonly code: "ERR_ACCESS_DENIED";
  }

  /** The collector; also a global. */
  export const GC: GC;
  export interface GC {
    /**
     * Destroys what can no longer be reached: tells subscribers, then runs `destroy()`, in order. What is synchronous has
     * happened when it returns; async handlers and destructors make one wait. In a handler or destructor of a collection it
     * is put off: `{ deferred: true }`. Errors of destructors are in the result, not thrown.
     * @throws {TypeError} while constructors run that load an environment
     */
    collect(): Promise<CollectReport>;
    /** Whether `destroy()` of the object has run. */
    isDestroyed(object: Resource): boolean;
    /** Whether the object is destroyed, or is going to be. */
    isDoomed(object: Resource): boolean;
    /**
     * The subscriber is destroyed after the publisher. A handler is a method of the subscriber that is called with the
     * publisher before that goes. A subscription keeps neither of the two alive.
     * @param handler the name of the method; not `destroy`, `loaded`, `recover`
     * @throws {TypeError} if an argument is no managed object, or the subscriber's class has no such method
     * @throws {ObjectDestroyedError} if one of the two is destroyed
     */
    subscribeDestruction<S extends Resource>(publisher: Resource, subscriber: S, handler?: (keyof S & string) | null): void;
    /** Takes one subscription back; without one it does nothing. */
    unsubscribeDestruction<S extends Resource>(publisher: Resource, subscriber: S, handler?: (keyof S & string) | null): void;
    /** What `collect()` would do now, in the order of destruction. Nothing changes. */
    plan(): PlannedDestruction[];
    /** The chain of references that keeps an object, as expressions: `["root", "root.applications[0]"]`; `null` if nothing does. */
    why(object: Resource | string): string[] | null;
    /** A string that is the same in every attempt to destroy this object: a key for providers that take one. */
    token(object: Resource): string;
  }

  /** What `GC.collect()` did. */
  export interface CollectReport {
    /** How many objects were destroyed. */
    destroyed: number;
    /** How many handlers were called. */
    notified: number;
    rounds: number;
    /** Objects whose `destroy()` failed. */
    failed: { id: string; type: string; error: string }[];
    /** Objects that wait for one that failed. */
    blocked: { id: string; type: string; by: string }[];
    /** Set where a handler or destructor asked: the collection that runs does it at its end. */
    deferred?: true;
  }

  /** One object of `GC.plan()`. */
  export interface PlannedDestruction { id: string; type: string; level: number; why: string; after: string[] }

  /** An effect that a crash came after; see `recover()`. */
  export interface RecoveredEffect {
    /** What was done: `"process.exec"`, `"fs.mkdir"`, … */
    op: string;
    /** With what. */
    args: any;
    /** `GC.token` of the object. */
    token: string;
    /** What came of it; `null` if that is not known. */
    outcome: { result: any } | { error: { name: string; code?: string; message: string } } | null;
  }

  /** The third argument of constructors. */
  export interface ObjectOptions {
    /** Unique in the environment; random if it is left out. */
    readonly id?: string;
    readonly name?: string;
  }

  /** A class whose objects are managed. */
  export type ResourceClass<T extends Resource = Resource> = abstract new (...args: any) => T;

  /** The type of a property. */
  export type Type =
    /** A string that nobody is shown: the console, errors, events and the history have `***` in its place. */
    | "secret"
    | "string" | "number" | "boolean"
    /** A number without a fraction. */
    | "integer"
    /** Plain data (objects, arrays, Map, Set, Date, Uint8Array, BigInt) and managed objects, nested at will. */
    | "any"
    /** A Uint8Array. */
    | "bytes"
    /** A Date. */
    | "date"
    /** A class: an object of it, referred to, or written in place and then owned. A name, or a function that returns it, where it is not defined yet. */
    | ClassName | ResourceClass | (() => ResourceClass)
    /** An array. */
    | readonly [Type]
    /** A plain object with values of one type under any key. */
    | { readonly map: Type }
    /** A plain object with these fields. */
    | { readonly shape: Properties }
    /** One of these values. */
    | { readonly enum: readonly (string | number | boolean)[] };

  /** `"Network"`, or `"shop/Network"`. */
  export type ClassName = Capitalize<string> | `${string}/${string}`;

  /** The declaration of a property, where its type alone does not say enough. */
  export interface Declaration {
    /** Left out: `"any"`. */
    readonly type?: Type;
    /**
     * Who sets it: the model (`"in"`, the default), scripts (`"out"`), both (`"inout"`), either of them once (`"const"`), or
     * `sexton.config` in package.json (`"config"`, not saved). `"runtime"`: scripts, any value, never saved.
     */
    readonly usage?: "in" | "out" | "inout" | "const" | "config" | "runtime";
    /** The value that an object begins with if it is given none; copied for each. */
    readonly default?: unknown;
    /** It may be left out, or be `null`. */
    readonly optional?: boolean;
    /** For people. */
    readonly description?: string;
  }

  /** What `Resource.with` and `static properties` take. */
  export interface Properties { readonly [name: string]: Type | Declaration }

  /** What instances have of declarations: `Values<typeof properties>`. */
  export type Values<P> =
    & { -readonly [K in Exclude<keyof P, ConstKeys<P>>]: Value<P[K]> }
    & { readonly [K in ConstKeys<P>]: Value<P[K]> };

  /** The first argument of a class's constructor: `Given<typeof Network>`. */
  export type Given<C extends { readonly properties: unknown }> = GivenProperties<C["properties"]>;

  /** What may be written of an object in place; `"?"` says which class, id and name it gets. */
  export type Inline<G> = G & { readonly "?"?: { readonly type?: string; readonly id?: string; readonly name?: string } };

  // How types are inferred. T is a Type, D a Type or Declaration, P Properties.
  interface Simple { string: string; secret: string; number: number; integer: number; boolean: boolean; bytes: Uint8Array; date: Date; any: any }
  type TypeOf<D> = D extends Type ? D : D extends { readonly type: infer T } ? T : "any";
  type Value<D> = ValueOf<TypeOf<D>> | (
    D extends Type | { readonly default: {} } ? never
    : D extends { readonly optional: true } ? null | undefined
    : D extends { readonly usage: "out" | "runtime" } ? undefined
    : never);
  type ValueOf<T> =
    T extends keyof Simple ? Simple[T]
    : T extends string ? Resource
    : T extends ResourceClass<infer R> ? R
    : T extends () => ResourceClass<infer R> ? R
    : T extends readonly [infer E] ? ValueOf<E>[]
    : T extends { readonly map: infer E } ? { [key: string]: ValueOf<E> }
    : T extends { readonly shape: infer S } ? { -readonly [K in keyof S]: Value<S[K]> }
    : T extends { readonly enum: readonly (infer E)[] } ? E
    : never;
  type GivenValue<T> =
    T extends keyof Simple ? Simple[T]
    : T extends string ? Resource | Inline<{ readonly [property: string]: unknown }>
    : T extends abstract new (properties: infer G, ...rest: any) => infer R ? R | Inline<G>
    : T extends () => infer C ? GivenValue<C>
    : T extends readonly [infer E] ? readonly GivenValue<E>[]
    : T extends { readonly map: infer E } ? { readonly [key: string]: GivenValue<E> }
    : T extends { readonly shape: infer S } ? GivenProperties<S>
    : ValueOf<T>;
  type GivenProperties<P> =
    & { readonly [K in Exclude<keyof P, OptionalKeys<P>>]: GivenValue<TypeOf<P[K]>> }
    & { readonly [K in OptionalKeys<P>]?: GivenValue<TypeOf<P[K]>> | OrNull<P[K]> };
  type ConstKeys<P> = { [K in keyof P]: P[K] extends { readonly usage: "const" } ? K : never }[keyof P];
  type OptionalKeys<P> = {
    [K in keyof P]: P[K] extends { readonly default: any } | { readonly optional: true } | { readonly usage: "out" | "config" | "runtime" } ? K : never
  }[keyof P];
  type OrNull<D> = D extends { readonly optional: true } ? null : never;
  // Declarations have no other keys, and defaults are of their type.
  type Checked<P> = {
    readonly [K in keyof P]: P[K] extends Type ? unknown : {
      readonly [X in keyof P[K]]:
        X extends "default" ? GivenValue<TypeOf<P[K]>> | OrNull<P[K]>
        : X extends keyof Declaration ? unknown
        : never
    }
  };
  type Merged<B, P> = B extends { readonly properties: infer Q } ? Omit<Q, keyof P> & P : P;
  type Extended<B extends ResourceClass, P> = Omit<B, "prototype" | "properties"> & {
    readonly properties: Merged<B, P>;
    new (properties: GivenProperties<Merged<B, P>>, owner?: Resource | null, options?: ObjectOptions): InstanceType<B> & Values<P>;
  };
}

declare module "sexton/process" {
  import type { Resource } from "sexton";
  export { PermissionDenied } from "sexton";

  /**
   * Runs a program to its end, without a shell.
   * @throws {PermissionDenied} without `--allow-run` for the program
   * @throws {ExecError} if it ends with another exit code than 0, by a signal, or after `timeout`; an error with a code
   * (`"ENOENT"`) if it cannot be started
   */
  export function exec(program: string, args?: readonly string[], options?: ExecOptions & { readonly encoding?: "utf8" }): Promise<ExecResult<string>>;
  export function exec(program: string, args: readonly string[] | undefined, options: ExecOptions & { readonly encoding: "buffer" }): Promise<ExecResult<Uint8Array>>;

  /**
   * Starts a program and does not wait for it. It ends with the deployment, unless it is `detached`.
   * @throws {PermissionDenied} without `--allow-run` for the program
   */
  export function spawn(program: string, args?: readonly string[], options?: SpawnOptions): Promise<ProcessId>;

  /** Ends a process, and waits until it is gone: `true`; `false` if it was gone. Another process of the same pid is never hit. */
  export function kill(process: ProcessId, options?: KillOptions): Promise<boolean>;

  /** Whether the process still runs. */
  export function alive(process: ProcessId): Promise<boolean>;

  /**
   * The value of an environment variable. Those of variables whose names begin with `SEXTON_SECRET_` are secrets.
   * @throws {PermissionDenied} without `--allow-env` for it
   */
  export function env(name: string): Promise<string | undefined>;

  export interface CommandOptions {
    /** The working directory, relative to the package. */
    readonly cwd?: string;
    /** Variables besides those that are granted. */
    readonly env?: { readonly [name: string]: string | undefined };
    /** The object on whose behalf it happens, if not the one whose method runs. */
    readonly of?: Resource;
  }
  export interface ExecOptions extends CommandOptions {
    /** What the program reads. */
    readonly input?: string | Uint8Array;
    /** Milliseconds after which it is killed. */
    readonly timeout?: number;
    /** When it is aborted, the program is killed: an `AbortError` whose `cause` is the reason. */
    readonly signal?: AbortSignal;
  }
  export interface SpawnOptions extends CommandOptions {
    /** It runs on when the deployment has ended. */
    readonly detached?: boolean;
    /** A file that gets what it prints, or `"ignore"`, the default. */
    readonly stdout?: string;
    readonly stderr?: string;
  }
  export interface KillOptions {
    /** `"SIGTERM"` if it is left out. */
    readonly signal?: string;
    /** Milliseconds after which it is killed by force. */
    readonly timeout?: number;
    readonly of?: Resource;
  }
  /** What tells a process from a later one of the same pid. Plain data: keep it in a property. */
  export interface ProcessId { pid: number; startTime: string }
  export interface ExecResult<Output> { stdout: Output; stderr: Output; exitCode: number }
  /** What `exec` rejects with if the program fails. */
  export interface ExecError extends Error { stdout: string; stderr: string; exitCode: number | null; signal: string | null }
}

/** Files. Paths are relative to the package. Errors have the codes of Node: `"ENOENT"`, `"EEXIST"`, … */
declare module "sexton/fs" {
  import type { Resource } from "sexton";
  export { PermissionDenied } from "sexton";

  /** The contents of a file. @throws {PermissionDenied} without `--allow-read` for it */
  export function readFile(path: string, encoding: "utf8" | "utf-8" | { readonly encoding: "utf8" | "utf-8" }): Promise<string>;
  export function readFile(path: string, options?: { readonly encoding?: null }): Promise<Uint8Array>;
  /** Writes a file; what was in it is gone. @throws {PermissionDenied} without `--allow-write` for it */
  export function writeFile(path: string, data: string | Uint8Array, options?: "utf8" | WriteOptions): Promise<void>;
  /** Adds to a file, or makes it. */
  export function appendFile(path: string, data: string | Uint8Array, options?: "utf8" | { readonly encoding?: "utf8"; readonly of?: Resource }): Promise<void>;
  /** Makes a directory. With `recursive` those above it, too, and it may be there already. */
  export function mkdir(path: string, options?: { readonly recursive?: boolean; readonly of?: Resource }): Promise<void>;
  /** Removes a file; with `recursive` a directory and all in it. With `force` it may be gone already. */
  export function rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean; readonly of?: Resource }): Promise<void>;
  /** Renames or moves a file or directory; one that has the new name is replaced. */
  export function rename(from: string, to: string, options?: { readonly of?: Resource }): Promise<void>;
  export function stat(path: string): Promise<Stats>;
  /** The names in a directory, sorted; or entries. */
  export function readdir(path: string, options?: { readonly withFileTypes?: false }): Promise<string[]>;
  export function readdir(path: string, options: { readonly withFileTypes: true }): Promise<Dirent[]>;

  export interface WriteOptions {
    readonly encoding?: "utf8";
    /** `"w"` replaces (the default), `"a"` appends, `"wx"` fails if there is such a file. */
    readonly flag?: "w" | "a" | "wx";
    readonly of?: Resource;
  }
  export interface Stats {
    /** Bytes. */
    readonly size: number;
    readonly mtimeMs: number;
    readonly mtime: Date;
    isFile(): boolean;
    isDirectory(): boolean;
  }
  export interface Dirent {
    readonly name: string;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
  }
}

/** Tests; for files that `sexton test` runs. */
declare module "sexton/test" {
  import type { Resource } from "sexton";

  /**
   * Declares a test. Each has an environment of its own, in memory. It fails if it throws, or if it ends with live objects
   * that nothing leads to, or with objects whose destruction failed.
   */
  export const test: Test;
  export { test as it, test as default };
  /** Declares tests that belong together. Its body declares and must not be async. */
  export const describe: Suite;
  export { describe as suite };
  /** Runs once before the tests of the file, or of the suite around it. */
  export function before(fn: HookFunction, options?: HookOptions): void;
  /** Runs once after the tests of the file, or of the suite around it. */
  export function after(fn: HookFunction, options?: HookOptions): void;
  /** Runs before each test of the file, or of the suite around it. */
  export function beforeEach(fn: HookFunction, options?: HookOptions): void;
  /** Runs after each test of the file, or of the suite around it, also after one that failed. */
  export function afterEach(fn: HookFunction, options?: HookOptions): void;
  /** Adds an event to `t.events`; objects are written as their ids. */
  export function trace(...values: unknown[]): void;
  /** Node's `assert/strict`, with `order`, `destroyed`, `alive` and `snapshot`. All throw an AssertionError. */
  export const assert: Assert;

  export type TestFunction = (t: TestContext) => unknown;
  export type HookFunction = (t: TestContext) => unknown;
  export interface TestOptions {
    /** Milliseconds. */
    readonly timeout?: number;
    /** Run those alone that have it. */
    readonly only?: boolean;
    /** Do not run it; a string says why. */
    readonly skip?: boolean | string;
    /** Its failure does not count. */
    readonly todo?: boolean | string;
  }
  export interface HookOptions { readonly timeout?: number }
  interface Declare<F> {
    (name: string, fn?: F): void;
    (name: string, options: TestOptions, fn?: F): void;
    (fn: F): void;
  }
  export interface Test extends Declare<TestFunction> { only: Declare<TestFunction>; skip: Declare<TestFunction>; todo: Declare<TestFunction> }
  type SuiteFunction = (suite: { readonly name: string }) => void;
  /**
   * A class of tests: each method whose name begins with `test` is one, on an instance of its own, between its `setUp` and
   * `tearDown`.
   */
  interface DeclareClass { (tests: new () => TestClass, options?: TestOptions): void }
  export interface TestClass { setUp?(t: TestContext): unknown; tearDown?(t: TestContext): unknown }
  type DeclareSuite = Declare<SuiteFunction> & DeclareClass;
  export interface Suite extends Declare<SuiteFunction>, DeclareClass { only: DeclareSuite; skip: DeclareSuite; todo: DeclareSuite }

  /** What a test gets. */
  export interface TestContext {
    readonly name: string;
    /** The names of the suites around it and its own, joined by `" > "`. */
    readonly fullName: string;
    /** What happened, in order: `notify SUBSCRIBER PUBLISHER`, `destroy ID`, `destroyed ID`, `failed ID`, `blocked ID`, and what `trace` added. */
    readonly events: string[];
    readonly mock: Mocks;
    /**
     * Deploys a model: an object, or JSON text. It resolves with a report also where destruction is incomplete.
     * @throws if the model is wrong, or `deploy()` fails
     */
    deploy(model: object | string, settings?: DeploySettings): Promise<DeployReport>;
    /**
     * Loads a model as a deployment begins (constructors, `recover()`, `loaded()`), but deploys and destroys nothing. It
     * resolves with the root. Without a model: the environment as it is saved, as in a process that starts again.
     */
    load(model?: object | string): Promise<any>;
    /** Destroys everything. */
    destroy(settings?: DeploySettings): Promise<DeployReport>;
    /** As `GC.collect()`. */
    collect(): Promise<import("sexton").CollectReport>;
    /** The root object. */
    readonly env: any;
    /** What is saved, parsed. */
    snapshot(): Promise<any>;
    /**
     * The saved objects by id, without what differs from run to run: digest, versions, and ids that were generated, which
     * become `Class#1` and so on. For `assert.snapshot`.
     */
    graph(): Promise<Record<string, any>>;
    /** Virtual time: from the first use on, timers and limits run on it until the test ends. */
    readonly clock: { now(): number; advance(ms: number): Promise<void> };
    /** Lifts the check for objects that are left at the end. */
    allowLeaks(): void;
    /** Declares and runs a subtest, in the same environment. */
    readonly test: Subtest;
    after(fn: HookFunction, options?: HookOptions): void;
    beforeEach(fn: HookFunction, options?: HookOptions): void;
    afterEach(fn: HookFunction, options?: HookOptions): void;
    skip(reason?: string): void;
    todo(reason?: string): void;
    /** Adds a line to the report. */
    diagnostic(message: string): void;
  }
  interface RunSubtest {
    (name: string, fn?: TestFunction): Promise<void>;
    (name: string, options: TestOptions, fn?: TestFunction): Promise<void>;
    (fn: TestFunction): Promise<void>;
  }
  export interface Subtest extends RunSubtest { only: RunSubtest; skip: RunSubtest; todo: RunSubtest }

  /** As in package.json; times are `"90s"` or milliseconds. */
  export interface DeploySettings {
    readonly onDestroyError?: "hold" | "continue";
    readonly resurrection?: "tombstone" | "spare";
    readonly concurrency?: number;
    readonly destroyTimeout?: string | number;
    readonly handlerTimeout?: string | number;
    readonly deployTimeout?: string | number;
  }
  export interface ReportedObject { id: string; type: string; name?: string; owner?: string }
  export interface DeployReport {
    created: ReportedObject[];
    changed: ReportedObject[];
    kept: ReportedObject[];
    destroyed: ReportedObject[];
    /** How many handlers were called. */
    notified: number;
    failed: { id: string; type: string; error: string }[];
    blocked: { id: string; type: string; by: string }[];
    warnings: string[];
  }

  /** Functions that record their calls; all are restored when the test ends. */
  export interface Mocks {
    /** A function of its own. Without an implementation it does what the original does. */
    fn<F extends (...args: any[]) => any>(original?: F, implementation?: F, options?: MockOptions): Mocked<F>;
    fn(options: MockOptions): Mocked<(...args: any[]) => any>;
    /**
     * Replaces a method of an object, or of a prototype, `destroy` of a managed class included. Without an implementation
     * it does what it did.
     */
    method<T extends object, K extends keyof T>(
      object: T, name: K, implementation?: (this: any, ...args: any[]) => any, options?: MockOptions,
    ): T[K] extends (...args: any[]) => any ? Mocked<T[K]> : never;
    method<T extends object, K extends keyof T>(object: T, name: K, options: MockOptions): T[K] extends (...args: any[]) => any ? Mocked<T[K]> : never;
    /** Replaces a getter. */
    getter<T extends object, K extends keyof T>(object: T, name: K, implementation?: (this: any) => T[K], options?: MockOptions): Mocked<() => T[K]>;
    /** Replaces a setter. */
    setter<T extends object, K extends keyof T>(
      object: T, name: K, implementation?: (this: any, value: T[K]) => void, options?: MockOptions,
    ): Mocked<(value: T[K]) => void>;
    /** Restores all, the last one first. */
    restoreAll(): void;
    /** Restores all, and forgets them. */
    reset(): void;
  }
  export interface MockOptions {
    /** For how many calls the implementation stands in; the original does the others. */
    readonly times?: number;
  }
  export type Mocked<F extends (...args: any[]) => any> = F & { readonly mock: Mock<F> };
  export interface Mock<F extends (...args: any[]) => any> {
    /** What the mock stands for. */
    readonly original: F;
    readonly calls: MockCall<F>[];
    callCount(): number;
    resetCalls(): void;
    mockImplementation(fn: F): void;
    /** For one call: the next one, or the one with this number, from 0. */
    mockImplementationOnce(fn: F, call?: number): void;
    restore(): void;
  }
  /** A call. Managed objects that have been destroyed since are `undefined` in it. */
  export interface MockCall<F extends (...args: any[]) => any> {
    readonly arguments: Parameters<F>;
    readonly result: ReturnType<F> | undefined;
    readonly error: unknown;
    readonly this: any;
    /** The class, if it was called with `new`. */
    readonly target: Function | undefined;
    /** Its stack is where the call came from. */
    readonly stack: Error;
  }

  /** What a failing assertion throws. */
  export interface AssertionError extends Error {
    readonly code: "ERR_ASSERTION";
    readonly actual: unknown;
    readonly expected: unknown;
    readonly operator: string;
    readonly generatedMessage: boolean;
  }
  type Message = string | Error;
  type ExpectedError = RegExp | object | ((error: any) => boolean) | (abstract new (...args: any) => Error);
  export interface Assert {
    (value: unknown, message?: Message): asserts value;
    ok(value: unknown, message?: Message): asserts value;
    fail(message?: Message): never;
    /** The same value, by `Object.is`. */
    equal(actual: unknown, expected: unknown, message?: Message): void;
    strictEqual(actual: unknown, expected: unknown, message?: Message): void;
    notEqual(actual: unknown, expected: unknown, message?: Message): void;
    notStrictEqual(actual: unknown, expected: unknown, message?: Message): void;
    /** The same structure, of the same types and values. */
    deepEqual(actual: unknown, expected: unknown, message?: Message): void;
    deepStrictEqual(actual: unknown, expected: unknown, message?: Message): void;
    notDeepEqual(actual: unknown, expected: unknown, message?: Message): void;
    notDeepStrictEqual(actual: unknown, expected: unknown, message?: Message): void;
    match(value: string, pattern: RegExp, message?: Message): void;
    doesNotMatch(value: string, pattern: RegExp, message?: Message): void;
    throws(fn: () => unknown, expected?: ExpectedError | string | null, message?: Message): void;
    doesNotThrow(fn: () => unknown, expected?: ExpectedError | string, message?: Message): void;
    rejects(promise: PromiseLike<unknown> | (() => PromiseLike<unknown>), expected?: ExpectedError | string | null, message?: Message): Promise<void>;
    doesNotReject(promise: PromiseLike<unknown> | (() => PromiseLike<unknown>), expected?: ExpectedError | string, message?: Message): Promise<void>;
    ifError(value: unknown): asserts value is null | undefined;
    /** The expected events occurred in this order, others between them or not. */
    order(events: readonly string[], expected: readonly string[], message?: Message): void;
    /** These objects, or those with these ids, are destroyed. */
    destroyed(...objects: (Resource | string)[]): void;
    /** These objects, or those with these ids, are live. */
    alive(...objects: (Resource | string)[]): void;
    /** The value is as `FILE.golden` beside the test has it; `--update` writes that. */
    snapshot(value: unknown, name?: string): void;
    AssertionError: abstract new (...args: any) => AssertionError;
    strict: Assert;
  }
}

/** The collector; also an export of "sexton". */
declare var GC: import("sexton").GC;

/** The arguments after `--` in `sexton run`. */
declare var scriptArgs: string[];

interface Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  /** Prints an error and where it is. */
  trace(...values: unknown[]): void;
  /** Prints an error if the condition does not hold. */
  assert(condition?: boolean, ...values: unknown[]): void;
  /** Prints a value to a depth (2 if it is left out, at most 20). */
  dir(value?: unknown, options?: { readonly depth?: number | null }): void;
  table(data?: unknown): void;
  group(...values: unknown[]): void;
  groupCollapsed(...values: unknown[]): void;
  groupEnd(): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: unknown[]): void;
  timeEnd(label?: string): void;
}
/** Prints, as Node's does. Secrets are `***`. */
declare var console: Console;

/** Calls a function after a delay in milliseconds. Timers that are still set when `deploy()` ends are cancelled. Returns what `clearTimeout` takes. */
declare function setTimeout<A extends unknown[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function setInterval<A extends unknown[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function setImmediate<A extends unknown[]>(callback: (...args: A) => void, ...args: A): number;
declare function clearTimeout(timer: number | undefined): void;
declare function clearInterval(timer: number | undefined): void;
declare function clearImmediate(timer: number | undefined): void;
/** Calls a function when what runs now has ended, before timers. */
declare function queueMicrotask(callback: () => void): void;
/** A deep copy of plain data, with Map, Set, Date, RegExp, errors and buffers. @throws {Error} for functions and managed objects */
declare function structuredClone<T>(value: T): T;

/** A URL, as the URL standard has it. @throws {TypeError} if the text is none */
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  /** The URL, or `null` where the constructor throws. */
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}

/** The parameters of a URL: names and values, in order. */
declare class URLSearchParams {
  constructor(init?: string | URLSearchParams | Iterable<readonly [string, string]> | { readonly [name: string]: string });
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  toString(): string;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

/** Text to UTF-8. */
declare class TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array<ArrayBuffer>;
  /** Fills an array as far as it goes: `read` UTF-16 units made `written` bytes. */
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}

/** Bytes to text. @throws {RangeError} for an encoding that is not known; {TypeError} for bytes that are none, if `fatal` */
declare class TextDecoder {
  constructor(encoding?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { readonly stream?: boolean }): string;
}

/** Base64 to a string of bytes. @throws {DOMException} if it is none */
declare function atob(text: string): string;
/** A string of bytes to base64. @throws {DOMException} if a character is beyond U+00FF */
declare function btoa(text: string): string;

/** An error with a name of the DOM's: `AbortError`, `TimeoutError`, `DataCloneError`, … */
declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  readonly name: string;
  readonly code: number;
}

interface EventInit { readonly bubbles?: boolean; readonly cancelable?: boolean; readonly composed?: boolean }
declare class Event {
  constructor(type: string, init?: EventInit);
  readonly type: string;
  readonly target: EventTarget | null;
  /** @deprecated `target` */
  readonly srcElement: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly eventPhase: number;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly defaultPrevented: boolean;
  /** @deprecated `defaultPrevented` */
  returnValue: boolean;
  /** @deprecated `stopPropagation` */
  cancelBubble: boolean;
  readonly timeStamp: number;
  readonly isTrusted: boolean;
  composedPath(): EventTarget[];
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
declare class CustomEvent<T = any> extends Event {
  constructor(type: string, init?: EventInit & { readonly detail?: T });
  readonly detail: T;
}
type EventListener = ((event: any) => unknown) | { handleEvent(event: any): unknown };
interface ListenerOptions { readonly capture?: boolean; readonly once?: boolean; readonly passive?: boolean; readonly signal?: AbortSignal }
/** What can be listened to. An error that a listener throws counts as an unhandled rejection. */
declare class EventTarget {
  addEventListener(type: string, listener: EventListener | null, options?: boolean | ListenerOptions): void;
  removeEventListener(type: string, listener: EventListener | null, options?: boolean | ListenerOptions): void;
  /** Whether nobody prevented the default. */
  dispatchEvent(event: Event): boolean;
}

/** Ends what takes its signal: `exec`, `fetch`, … */
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare class AbortSignal extends EventTarget {
  private constructor();
  /** One that is aborted already. */
  static abort(reason?: unknown): AbortSignal;
  /** One that is aborted after a time in milliseconds, with a `TimeoutError`. Nothing waits for it. */
  static timeout(ms: number): AbortSignal;
  /** One that is aborted with the first of these. */
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  /** @throws the reason, if it is aborted */
  throwIfAborted(): void;
  onabort: ((event: Event) => unknown) | null;
}

/**
 * Makes a request. Bodies are whole: there are no streams.
 * @throws {PermissionDenied} without `--allow-net` for the host, that of each redirect included
 * @throws {TypeError} if there is no answer; the signal's reason if that is aborted
 */
declare function fetch(resource: string | URL | Request, options?: RequestInit): Promise<Response>;
type BodyInit = string | ArrayBuffer | ArrayBufferView | URLSearchParams;
type HeadersInit = Headers | { readonly [name: string]: string } | Iterable<readonly [string, string]>;
interface RequestInit {
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly body?: BodyInit | null;
  readonly redirect?: "follow" | "error" | "manual";
  readonly signal?: AbortSignal | null;
  /** The object on whose behalf it happens, if not the one whose method runs. */
  readonly of?: import("sexton").Resource;
}
interface Body {
  readonly bodyUsed: boolean;
  text(): Promise<string>;
  json(): Promise<any>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
declare class Headers {
  constructor(init?: HeadersInit);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  getSetCookie(): string[];
  forEach(callback: (value: string, name: string, headers: Headers) => void, self?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
interface Request extends Body {}
declare class Request {
  constructor(resource: string | URL | Request, options?: RequestInit);
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: "follow" | "error" | "manual";
  readonly signal: AbortSignal;
  clone(): Request;
}
interface Response extends Body {}
declare class Response {
  constructor(body?: BodyInit | null, options?: { readonly status?: number; readonly statusText?: string; readonly headers?: HeadersInit });
  static error(): Response;
  static json(data: unknown, options?: { readonly status?: number; readonly statusText?: string; readonly headers?: HeadersInit }): Response;
  static redirect(url: string | URL, status?: number): Response;
  readonly type: string;
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
  /** Whether the status is one from 200 to 299. */
  readonly ok: boolean;
  readonly statusText: string;
  readonly headers: Headers;
  clone(): Response;
}

declare class Crypto {
  private constructor();
  readonly subtle: SubtleCrypto;
  /** Fills an array with random numbers; at most 65,536 bytes. */
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  /** A random UUID. */
  randomUUID(): string;
}
declare class SubtleCrypto {
  private constructor();
  /** A digest: "SHA-1", "SHA-256", "SHA-384" or "SHA-512". */
  digest(algorithm: string | { readonly name: string }, data: ArrayBuffer | ArrayBufferView): Promise<ArrayBuffer>;
}
declare var crypto: Crypto;

declare class Performance extends EventTarget {
  private constructor();
  /** When the clock began, in milliseconds since 1970. */
  readonly timeOrigin: number;
  /** Milliseconds since then. */
  now(): number;
  toJSON(): { timeOrigin: number };
}
declare var performance: Performance;

type Encoding = "utf8" | "utf-8" | "utf16le" | "utf-16le" | "ucs2" | "ucs-2" | "base64" | "base64url" | "hex" | "latin1" | "binary" | "ascii";
/** Bytes, as in Node, without what is deprecated there. */
declare class Buffer extends Uint8Array {
  private constructor();
  static from(text: string, encoding?: Encoding): Buffer;
  static from(buffer: ArrayBuffer, offset?: number, length?: number): Buffer;
  static from(bytes: Iterable<number> | ArrayLike<number>): Buffer;
  static alloc(size: number, fill?: string | number | Uint8Array, encoding?: Encoding): Buffer;
  static allocUnsafe(size: number): Buffer;
  static allocUnsafeSlow(size: number): Buffer;
  static concat(list: readonly Uint8Array[], length?: number): Buffer;
  static byteLength(text: string | ArrayBuffer | ArrayBufferView, encoding?: Encoding): number;
  static compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
  static isBuffer(value: unknown): value is Buffer;
  static isEncoding(name: unknown): name is Encoding;
  readonly parent: ArrayBuffer;
  readonly offset: number;
  toString(encoding?: Encoding, start?: number, end?: number): string;
  toLocaleString(encoding?: any, start?: any, end?: number): string;
  toJSON(): { type: "Buffer"; data: number[] };
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array, targetStart?: number, targetEnd?: number, sourceStart?: number, sourceEnd?: number): -1 | 0 | 1;
  copy(target: Uint8Array, targetStart?: number, sourceStart?: number, sourceEnd?: number): number;
  fill(value: string | number | Uint8Array, offset?: any, end?: any, encoding?: Encoding): this;
  write(text: string, encoding?: Encoding): number;
  write(text: string, offset: number, encoding?: Encoding): number;
  write(text: string, offset: number, length: number, encoding?: Encoding): number;
  indexOf(value: string | number | Uint8Array, from?: number, encoding?: Encoding): number;
  lastIndexOf(value: string | number | Uint8Array, from?: number, encoding?: Encoding): number;
  includes(value: string | number | Uint8Array, from?: number, encoding?: Encoding): boolean;
  /** Shares its memory, as `subarray`. */
  slice(start?: number, end?: number): any;
  subarray(start?: number, end?: number): any;
  swap16(): this;
  swap32(): this;
  swap64(): this;
  readInt8(offset?: number): number;
  writeInt8(value: number, offset?: number): number;
  readUInt8(offset?: number): number;
  readUint8(offset?: number): number;
  writeUInt8(value: number, offset?: number): number;
  writeUint8(value: number, offset?: number): number;
  readInt16BE(offset?: number): number;
  writeInt16BE(value: number, offset?: number): number;
  readInt16LE(offset?: number): number;
  writeInt16LE(value: number, offset?: number): number;
  readUInt16BE(offset?: number): number;
  readUint16BE(offset?: number): number;
  writeUInt16BE(value: number, offset?: number): number;
  writeUint16BE(value: number, offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUint16LE(offset?: number): number;
  writeUInt16LE(value: number, offset?: number): number;
  writeUint16LE(value: number, offset?: number): number;
  readInt32BE(offset?: number): number;
  writeInt32BE(value: number, offset?: number): number;
  readInt32LE(offset?: number): number;
  writeInt32LE(value: number, offset?: number): number;
  readUInt32BE(offset?: number): number;
  readUint32BE(offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeUint32BE(value: number, offset?: number): number;
  readUInt32LE(offset?: number): number;
  readUint32LE(offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeUint32LE(value: number, offset?: number): number;
  readBigInt64BE(offset?: number): bigint;
  writeBigInt64BE(value: bigint, offset?: number): number;
  readBigInt64LE(offset?: number): bigint;
  writeBigInt64LE(value: bigint, offset?: number): number;
  readBigUInt64BE(offset?: number): bigint;
  readBigUint64BE(offset?: number): bigint;
  writeBigUInt64BE(value: bigint, offset?: number): number;
  writeBigUint64BE(value: bigint, offset?: number): number;
  readBigUInt64LE(offset?: number): bigint;
  readBigUint64LE(offset?: number): bigint;
  writeBigUInt64LE(value: bigint, offset?: number): number;
  writeBigUint64LE(value: bigint, offset?: number): number;
  readFloatBE(offset?: number): number;
  writeFloatBE(value: number, offset?: number): number;
  readFloatLE(offset?: number): number;
  writeFloatLE(value: number, offset?: number): number;
  readDoubleBE(offset?: number): number;
  writeDoubleBE(value: number, offset?: number): number;
  readDoubleLE(offset?: number): number;
  writeDoubleLE(value: number, offset?: number): number;
  readUIntBE(offset: number, byteLength: number): number;
  readUintBE(offset: number, byteLength: number): number;
  writeUIntBE(value: number, offset: number, byteLength: number): number;
  writeUintBE(value: number, offset: number, byteLength: number): number;
  readIntBE(offset: number, byteLength: number): number;
  writeIntBE(value: number, offset: number, byteLength: number): number;
  readUIntLE(offset: number, byteLength: number): number;
  readUintLE(offset: number, byteLength: number): number;
  writeUIntLE(value: number, offset: number, byteLength: number): number;
  writeUintLE(value: number, offset: number, byteLength: number): number;
  readIntLE(offset: number, byteLength: number): number;
  writeIntLE(value: number, offset: number, byteLength: number): number;
}

interface Process {
  /** `["sexton", file, …arguments]`, without the file for `-e` and `-`. */
  argv: string[];
  /** Empty: variables are read with `env` of "sexton/process". */
  env: { [name: string]: string | undefined };
}
/** In `sexton run`. */
declare var process: Process;

/** With `sexton run --expose-gc`: runs the host's garbage collector at once. No destructor runs in it. */
declare var gc: () => void;

interface FinalizationRegistry<T> {
  /** Calls back for what was found dead so far. */
  cleanupSome(callback?: (held: T) => void): void;
}
