/** A value once it has not changed for a while. */
import { useEffect, useState } from 'react'

export function useDebounced<Value>(value: Value, waitMs = 250): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return settled
}
