/** Keeps the live connection open, and shows when it is lost. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { lastActivityAt, openLive, reconnectNow, useLiveState } from '../api/live.ts'
import { APP_TEXTS } from '../texts/app.ts'
import { Button } from './parts.tsx'
import { useSecond } from './second.ts'
import { toSpan } from './time.tsx'

const T = APP_TEXTS

/** Events may have been missed while disconnected, so everything shown is refetched. */
export function useConnection(): void {
  const queries = useQueryClient()
  const state = useLiveState()
  const wasLost = useRef(false)
  useEffect(openLive, [])
  useEffect(() => {
    if (state === 'live' && wasLost.current) void queries.invalidateQueries()
    wasLost.current = state === 'lost'
  }, [state, queries])
}

export const LiveIndicator = () => {
  const state = useLiveState()
  return <span className={`live ${state === 'live' ? 'on' : state}`}>{T[state]}</span>
}

export const ConnectionBanner = () => (useLiveState() === 'lost' ? <LostConnection /> : null)

/** Screen readers announce the loss once, not the counting age. */
function LostConnection() {
  const now = useSecond()
  const heardAt = lastActivityAt()
  return (
    <div className="note bad lost-note">
      <span>
        <strong role="alert">{T.gone}</strong>{' '}
        {heardAt !== undefined && <span className="nums">{T.asOf(toSpan(Math.max(1_000, now - heardAt)))}</span>}
      </span>
      <Button onClick={reconnectNow}>{T.tryNow}</Button>
    </div>
  )
}
