package objectstore

import (
	"fmt"
	"slices"
	"strings"
)

// Subscribe records that subscriber wants to be told before publisher is destroyed; at says where
// in the script, if known. Subscriptions count (gc 4.2).
func (s *Store) Subscribe(publisher, subscriber *Object, handler, at string) {
	if s.loading && (publisher.state == Destroyed || subscriber.state == Destroyed) {
		return // gc 6.3
	}
	sub := publisher.subscription(subscriber, handler)
	if sub == nil {
		sub = &Subscribed{Subscriber: subscriber, Handler: handler, At: at}
		publisher.subs = append(publisher.subs, sub)
		if publisher.index != nil {
			publisher.index[subscriptionKey{subscriber, handler}] = sub
		}
	}
	if sub.At == "" {
		sub.At = at
	}
	if s.loading {
		sub.made++
	} else {
		sub.Count++
	}
}

// Unsubscribe takes one subscription back; one too many is harmless (gc 4.2).
func (s *Store) Unsubscribe(publisher, subscriber *Object, handler string) {
	sub := publisher.subscription(subscriber, handler)
	if sub == nil {
		return
	}
	if s.loading {
		sub.made = max(0, sub.made-1)
	} else {
		sub.Count--
	}
	if sub.Count <= 0 && sub.made == 0 {
		sub.over = true
		publisher.ended++
		publisher.removals++
		delete(publisher.index, subscriptionKey{subscriber, handler})
		if publisher.ended > indexFrom && publisher.ended > len(publisher.subs)/2 {
			publisher.compact()
		}
	}
}

type subscriptionKey struct {
	subscriber *Object
	handler    string
}

// indexFrom is the number of subscriptions from which a publisher keeps an index of them.
const indexFrom = 16

func (o *Object) subscription(subscriber *Object, handler string) *Subscribed {
	if o.index == nil && len(o.subs) < indexFrom {
		for _, sub := range o.subs {
			if sub.Subscriber == subscriber && sub.Handler == handler && !sub.over {
				return sub
			}
		}
		return nil
	}
	if o.index == nil {
		o.index = make(map[subscriptionKey]*Subscribed, len(o.subs))
		for _, sub := range o.subs {
			if !sub.over {
				o.index[subscriptionKey{sub.Subscriber, sub.Handler}] = sub
			}
		}
	}
	return o.index[subscriptionKey{subscriber, handler}]
}

// compact takes the subscriptions out that are over. Where these are the first ones, as when each
// subscriber ends its own on hearing, it costs no more than they are many.
func (o *Object) compact() {
	for o.ended > 0 && o.subs[0].over {
		o.subs = o.subs[1:]
		o.ended--
	}
	if o.ended > 0 {
		o.subs = slices.DeleteFunc(o.subs, func(sub *Subscribed) bool { return sub.over })
		o.ended = 0
	}
}

// endSubscriptions ends all subscriptions to o's destruction at once.
func (o *Object) endSubscriptions() { o.subs, o.index, o.ended = nil, nil, 0 }

// SubscriptionsVersion changes whenever the places in Subscriptions do; an addition at the end does
// not change it.
func (o *Object) SubscriptionsVersion() int { return o.removals }

// Subscriptions returns the subscriptions to o's destruction whose subscriber is not destroyed, the
// first made first.
func (o *Object) Subscriptions() []*Subscribed {
	if o.checked != o.store.ended { // otherwise nobody was destroyed since
		o.checked = o.store.ended
		for _, sub := range o.subs {
			if sub.Subscriber.state == Destroyed && !sub.over {
				sub.over = true
				o.ended++
				o.removals++
				delete(o.index, subscriptionKey{sub.Subscriber, sub.Handler})
			}
		}
	}
	o.compact()
	return o.subs
}

// mergeSubscriptions ends loading: of the stored count and the one that constructors made the higher
// holds (gc 6.4), and those of destroyed subscribers are left out (gc 6.2).
func (s *Store) mergeSubscriptions() {
	for _, o := range s.objects {
		o.subs = slices.DeleteFunc(o.subs, func(sub *Subscribed) bool {
			sub.Count = max(sub.Count, sub.made)
			sub.made = 0
			return sub.over || sub.Count == 0 || sub.Subscriber.state == Destroyed
		})
		o.ended, o.index = 0, nil
		o.removals++
	}
}

// HasMethod reports whether an object's class has a method of that name.
func (s *Store) HasMethod(o *Object, name string) bool {
	return o.Class != nil && o.Class.HasMethod(name)
}

// lifecycle are the methods that only the runtime calls.
var lifecycle = []string{"destroy", "loaded", "recover"}

// CheckHandler returns an error unless handler names a method of the class that subscriptions may call.
func (c *Class) CheckHandler(handler string) error {
	switch {
	case strings.HasPrefix(handler, "$"):
		return fmt.Errorf("%q cannot be a handler: names that begin with $ are reserved; name a method of class %s", handler, c.Short())
	case slices.Contains(lifecycle, handler):
		return fmt.Errorf("%q cannot be a handler: only the runtime calls it; name another method of class %s", handler, c.Short())
	case !c.HasMethod(handler):
		return fmt.Errorf("class %s has no method %q", c.Short(), handler)
	}
	return nil
}
