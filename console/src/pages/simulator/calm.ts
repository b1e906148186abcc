/** Keeps what is busy from moving away under the hand of whoever reaches for it. */
import { type FocusEvent, useRef, useState } from 'react'

type Handlers = Readonly<{
  onPointerEnter: () => void
  onPointerLeave: () => void
  onFocus: (event: FocusEvent) => void
  onBlur: () => void
}>

/** The value as it was when somebody came to it, by pointer or by keys; as it is otherwise. */
export function useCalm<Value>(value: Value): readonly [Value, Handlers] {
  const [isReached, setReached] = useState(false)
  const kept = useRef(value)
  if (!isReached) kept.current = value
  return [
    kept.current,
    {
      onPointerEnter: () => setReached(true),
      onPointerLeave: () => setReached(false),
      // What a click leaves focused is not being reached for any more.
      onFocus: (event) => event.target.matches(':focus-visible') && setReached(true),
      onBlur: () => setReached(false),
    },
  ]
}

/** The first that there was: a page that shows the newest of many would never stand still. */
export function useFirst<Value>(value: Value | undefined): Value | undefined {
  const first = useRef(value)
  first.current ??= value
  return first.current
}
