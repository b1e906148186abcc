import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Places } from './places.ts'

const isPlace = (taken: ReturnType<Places<string>['take']>): taken is Disposable => typeof taken === 'object'

test('a key gets no more than its share, and all together no more than there are', () => {
  const places = new Places<string>(3, 2)
  const [first] = [places.take('a'), places.take('a')]
  assert.equal(places.take('a'), 'key-full')
  assert.ok(isPlace(places.take('b')))
  assert.equal(places.take('b'), 'full')
  assert.ok(isPlace(first))
  first[Symbol.dispose]()
  assert.ok(isPlace(places.take('a')))
  assert.equal(places.take('c'), 'full')
})

test('a place that is given back twice counts once', () => {
  const places = new Places<string>(1, 1)
  const place = places.take('a')
  assert.ok(isPlace(place))
  place[Symbol.dispose]()
  place[Symbol.dispose]()
  assert.ok(isPlace(places.take('a')))
  assert.equal(places.take('b'), 'full')
})
