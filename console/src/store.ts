/** A value that there is once for the whole page; whatever shows it is drawn anew when it changes. */
import { useSyncExternalStore } from 'react'

type Store<Value> = Readonly<{
  get: () => Value
  set: (value: Value) => void
  /** Calls whenever it is set, until the answer is called. */
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
