/** Keeps live lists from moving under the pointer or the focus. */
import { type FocusEvent, useRef, useState } from 'react'

type Handlers = Readonly<{
  onPointerEnter: () => void
  onPointerLeave: () => void
  onFocus: (event: FocusEvent) => void
  onBlur: () => void
}>

/** The value, frozen while the pointer is over the list or the focus is in it. */
export function useFrozen<Value>(value: Value): readonly [Value, Handlers] {
  const [isFrozen, setFrozen] = useState(false)
  const frozen = useRef(value)
  if (!isFrozen) frozen.current = value
  return [
    frozen.current,
    {
      onPointerEnter: () => setFrozen(true),
      onPointerLeave: () => setFrozen(false),
      // Focus left behind by a click does not freeze the list.
      onFocus: (event) => event.target.matches(':focus-visible') && setFrozen(true),
      onBlur: () => setFrozen(false),
    },
  ]
}

/** The first defined value: always opening the newest message would keep the page moving. */
export function useFirst<Value>(value: Value | undefined): Value | undefined {
  const first = useRef(value)
  first.current ??= value
  return first.current
}
