/** A global value that components can subscribe to. */
import { useSyncExternalStore } from 'react'

type Store<Value> = Readonly<{
  get: () => Value
  set: (value: Value) => void
  /** Calls the watcher on every change, until the returned function is called. */
  watch: (watcher: () => void) => () => void
}>

export function makeStore<Value>(first: Value): Store<Value> {
  const watchers = new Set<() => void>()
  let value = first
  return {
    get: () => value,
    set: (next) => {
      value = next
      for (const watcher of watchers) watcher()
    },
    watch: (watcher) => {
      watchers.add(watcher)
      return () => {
        watchers.delete(watcher)
      }
    },
  }
}

export const useStore = <Value>({ watch, get }: Store<Value>): Value => useSyncExternalStore(watch, get)
