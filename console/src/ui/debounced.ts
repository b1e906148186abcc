/** A value that has not changed for a while. */
import { useEffect, useState } from 'react'

export function useDebounced<Value>(value: Value, waitMs = 250): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return debounced
}
