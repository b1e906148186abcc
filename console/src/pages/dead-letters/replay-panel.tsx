/** The progress of a replay: the undo countdown, the progress bar, the result. */
import { useEffect, useState } from 'react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { DEAD_LETTERS_TEXTS } from '../../texts/dead-letters.ts'
import { toCount } from '../../ui/numbers.ts'
import { Button, Failure } from '../../ui/parts.tsx'
import { totalOf } from './replay.ts'
import { dismiss, type Run, stop, UNDO_SECONDS, undo } from './replay-run.ts'

const T = DEAD_LETTERS_TEXTS.run

export function ReplayPanel({ run }: Readonly<{ run: Run }>) {
  return (
    <section className="card replay-panel" aria-label={T.title}>
      {run.kind === 'waiting' && <Waiting run={run} />}
      {run.kind === 'running' && <Running run={run} />}
      {run.kind === 'over' && <Over run={run} />}
    </section>
  )
}

type Of<Kind extends Run['kind']> = Readonly<{ run: Extract<Run, { kind: Kind }> }>

/** Screen readers announce the countdown once, not every second. */
function Waiting({ run }: Of<'waiting'>) {
  const seconds = useCountdown(UNDO_SECONDS)
  const total = totalOf(run.plan)
  return (
    <>
      <div className="replay-line">
        <p>
          <span className="visually-hidden" role="status">
            {T.waiting(total, UNDO_SECONDS)}
          </span>
          <strong className="nums" aria-hidden="true">
            {T.waiting(total, seconds)}
          </strong>
        </p>
        <Button kind="primary" onClick={undo} aria-keyshortcuts="u">
          {T.undo}
        </Button>
      </div>
      <div className="progress countdown" aria-hidden="true">
        <div style={{ animationDuration: `${UNDO_SECONDS}s` }} />
      </div>
    </>
  )
}

function useCountdown(from: number): number {
  const [left, setLeft] = useState(from)
  useEffect(() => {
    const timer = setInterval(() => setLeft((before) => Math.max(1, before - 1)), 1000)
    return () => clearInterval(timer)
  }, [])
  return left
}

function Running({ run: { plan, tally, stopping } }: Of<'running'>) {
  const [done, total] = [tally.replayed + tally.skipped, totalOf(plan)]
  const share = total === undefined ? undefined : Math.min(100, Math.round((100 * done) / Math.max(1, total)))
  return (
    <>
      <div className="replay-line">
        <p className="nums">
          <strong>{T.running}</strong> {T.progress(toCount(done), total === undefined ? undefined : toCount(total))}
        </p>
        <Button onClick={stop} disabled={stopping}>
          {stopping ? T.stopping : T.stop}
        </Button>
      </div>
      <div
        className={`progress ${share === undefined ? 'endless' : ''}`}
        role="progressbar"
        aria-label={T.running}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(share === undefined ? {} : { 'aria-valuenow': share })}
      >
        <div style={share === undefined ? {} : { width: `${share}%` }} />
      </div>
    </>
  )
}

function Over({ run }: Of<'over'>) {
  const { replayed, skipped, reasons } = run.tally
  const skippedBy = Object.entries(reasons)
  const explained = skippedBy.reduce((sum, [, count]) => sum + count, 0)
  return (
    <>
      <div className="replay-line">
        <p role="status">
          <strong>{T.ends[run.end]}</strong> {T.replayed(replayed)} {skipped > 0 && T.skipped(skipped)}
        </p>
        <Button onClick={dismiss}>{COMMON_TEXTS.close}</Button>
      </div>
      {run.end === 'failed' && <Failure error={run.failure} />}
      {skippedBy.length > 0 && (
        <ul className="replay-why">
          {skippedBy.map(([words, count]) => (
            <li key={words}>
              <span className="nums">{toCount(count)} ×</span> {words}
            </li>
          ))}
        </ul>
      )}
      {skipped > explained && <p className="soft">{T.skippedWhy}</p>}
      {replayed > 0 && <p className="soft">{T.after}</p>}
    </>
  )
}
