/**
 * What went wrong with a question that is asked again and again: shown from the first failure until it is answered.
 * Without it the page would change between the error and "Loading…" with every new try.
 */
import type { UseQueryResult } from '@tanstack/react-query'
import { useRef } from 'react'

export function useTrouble({ error, failureReason, isSuccess }: UseQueryResult<unknown>): Error | null {
  const last = useRef<Error | null>(null)
  last.current = error ?? (isSuccess ? null : (failureReason ?? last.current))
  return last.current
}
