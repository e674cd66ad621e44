// Package objectstore keeps the managed objects of an environment: what they are called, which class
// they have, who owns them, who wants to hear of their end, and in which state they are.
//
// It has two halves. Plain data (Value, Entry, Graph) is an environment at rest, free of JavaScript.
// A Store is an environment in memory: its objects are ordinary JavaScript objects of a
// goja.Runtime, held strongly between collections and weakly during one.
//
// It does not decide who dies or in which order; that is package gcext.
package objectstore
