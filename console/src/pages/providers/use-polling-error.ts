/**
 * The error of a polled query, kept from the first failure until the next success. Otherwise the page would flicker
 * between the error and "Loading…" on every retry.
 */
import type { UseQueryResult } from '@tanstack/react-query'
import { useRef } from 'react'

export function usePollingError({ error, failureReason, isSuccess }: UseQueryResult<unknown>): Error | null {
  const last = useRef<Error | null>(null)
  last.current = error ?? (isSuccess ? null : (failureReason ?? last.current))
  return last.current
}
