package objectstore

type scriptClass struct{}
