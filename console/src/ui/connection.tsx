/** The connection to the gateway, which the shell keeps open, and what is said on every page while it is lost. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { lastHeardAt, openLive, tryNow, useLiveState } from '../api/live.ts'
import { TEXTS } from '../texts.ts'
import { Button } from './parts.tsx'
import { useSecond } from './second.ts'
import { toSpan } from './time.tsx'

const T = TEXTS.app

/** What was missed is not told again in all cases: once the gateway is back, all that is shown is asked for anew. */
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

export const LiveSign = () => {
  const state = useLiveState()
  return <span className={`live ${state === 'live' ? 'on' : state}`}>{T[state]}</span>
}

export const Lost = () => (useLiveState() === 'lost' ? <LostNote /> : null)

/** Only that it is lost is read out; how long counts on. */
function LostNote() {
  const now = useSecond()
  const heardAt = lastHeardAt()
  return (
    <div className="note bad lost-note">
      <span>
        <strong role="alert">{T.gone}</strong>{' '}
        {heardAt !== undefined && <span className="nums">{T.asOf(toSpan(Math.max(1_000, now - heardAt)))}</span>}
      </span>
      <Button onClick={tryNow}>{T.tryNow}</Button>
    </div>
  )
}
