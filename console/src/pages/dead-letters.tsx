/** Messages given up on after their last attempt: why, which, and sending them again. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useLive } from '../api/live.ts'
import { may, useSession } from '../api/session.ts'
import '../styles/dead-letters.css'
import { TEXTS } from '../texts.ts'
import { useKeys } from '../ui/keys.ts'
import { Button, Empty, Failure, Loading, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { Filters } from './dead-letters/filters.tsx'
import { LetterList } from './dead-letters/letter-list.tsx'
import { countOf, lookAgain, SOUGHT, useReasons } from './dead-letters/letters.ts'
import { Reasons } from './dead-letters/reasons.tsx'
import { ReplayPanel } from './dead-letters/replay-panel.tsx'
import { begin, isBusy, leave, onRunChange, undo, useRun } from './dead-letters/replay-run.ts'

const T = TEXTS.deadLetters

export function DeadLetters() {
  const [sought, change] = useParams(SOUGHT)
  const run = useRun()
  const mayReplay = may(useSession(), 'messages:write')
  const { data, error, isPending } = useReasons(sought)
  const reasons = data?.items
  const total = countOf({}, reasons)
  const isSought = Object.keys(sought).length > 0
  useFreshness()
  useEffect(() => leave, [])
  useKeys({ u: undo })

  return (
    <>
      <PageHead
        title={TEXTS.pages.deadLetters}
        about={T.about}
        actions={
          mayReplay &&
          total !== undefined &&
          total > 0 && (
            <Button disabled={isBusy(run)} onClick={() => begin({ kind: 'matching', sought: {}, total })}>
              {T.replayAll(total)}
            </Button>
          )
        }
      />
      <div className="stack">
        {run !== undefined && <ReplayPanel run={run} />}
        {isPending && <Loading />}
        {error !== null && <Failure error={error} />}
        {total === 0 && !isSought && <Nothing />}
        {reasons !== undefined && reasons.length > 0 && (
          <Reasons
            reasons={reasons}
            sought={sought}
            busy={isBusy(run)}
            onChoose={(chosen) => change({ error: undefined, channel: undefined, provider: undefined, ...chosen })}
            onReplay={
              mayReplay ? (chosen, count) => begin({ kind: 'matching', sought: chosen, total: count }) : undefined
            }
          />
        )}
        {(total !== 0 || isSought) && !isPending && (
          <section aria-label={T.list}>
            <Filters sought={sought} providers={providersOf(reasons ?? [])} onChange={change} />
            <LetterList
              key={JSON.stringify(sought)}
              sought={sought}
              count={countOf(sought, reasons)}
              mayReplay={mayReplay}
              onChange={change}
            />
          </section>
        )}
      </div>
    </>
  )
}

const providersOf = (reasons: readonly Readonly<{ provider: string | null }>[]): readonly string[] =>
  [...new Set(reasons.flatMap(({ provider }) => (provider === null ? [] : [provider])))].sort()

const Nothing = () => (
  <Empty>
    <strong>{T.nothing}</strong>
    <span>{T.nothingHint}</span>
    <Link href="/simulator">{T.toSimulator}</Link>
  </Empty>
)

const PAUSE_MS = 1_000

/** Looks again when a message has failed, one that had is on its way again or a run goes on; once in a second at most. */
function useFreshness(): void {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const lookSoon = useCallback((): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void lookAgain(queries)
    }, PAUSE_MS)
  }, [queries])
  useLive((events) => {
    if (events.some(({ data }) => data.newStatus === 'failed' || data.previousStatus === 'failed')) lookSoon()
  })
  useEffect(() => {
    // It may have gone on while one was elsewhere.
    lookSoon()
    const unwatch = onRunChange(lookSoon)
    return () => {
      unwatch()
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [lookSoon])
}
