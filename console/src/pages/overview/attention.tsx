/** What wants a person now: providers in trouble, dead letters, outcomes nobody knows. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { TEXTS } from '../../texts.ts'
import { toCount } from '../../ui/numbers.ts'
import { Badge, type Tone } from '../../ui/parts.tsx'
import { Until } from '../providers/countdown.tsx'
import { idOf, type Provider, useProviders } from '../providers/data.ts'
import { useTrouble } from '../providers/use-trouble.ts'
import { isInTrouble, verdictOf } from '../providers/verdict.ts'
import { MANY, type Stuck, useStuckNow } from './data.ts'

const T = TEXTS.overview.attention

type Item = Readonly<{ key: string; tone: Tone; href: string; what: string; why: ReactNode }>

export function Attention() {
  const [asked, askedStuck] = [useProviders(), useStuckNow()]
  const [trouble, troubleStuck] = [useTrouble(asked), useTrouble(askedStuck)]
  const [providers, stuck] = [asked.data, askedStuck.data]
  if ((providers === undefined && trouble === null) || (stuck === undefined && troubleStuck === null)) {
    return <div className="note attention">{TEXTS.common.loading}</div>
  }
  const items = [...(providers?.items ?? []).flatMap(toTrouble), ...(stuck === undefined ? [] : toStuck(stuck))]
  if (items.length === 0) {
    const saw = providers !== undefined && stuck !== undefined
    return <div className={`note attention ${saw ? 'good' : ''}`}>{saw ? T.calm : T.partly}</div>
  }
  return (
    <section className="card attention">
      <h2>{T.title}</h2>
      <ul>
        {items.map(({ key, tone, href, what, why }) => (
          <li key={key}>
            <Badge tone={tone}>
              <Link href={href}>{what}</Link>
            </Badge>
            <span className="soft">{why}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function toTrouble(provider: Provider): readonly Item[] {
  const verdict = verdictOf(provider)
  if (!isInTrouble(verdict)) return []
  const { name, breaker } = provider
  const { tone, word, why } = verdict
  const retry = breaker.state === 'open' ? breaker.retry_at : null
  const words =
    retry === null ? (
      why
    ) : (
      <>
        {T.retry} <Until at={retry} />
      </>
    )
  return [{ key: name, tone, href: `/providers#${idOf(name)}`, what: `${name}: ${word.toLowerCase()}`, why: words }]
}

function toStuck({ dead, unknown }: Stuck): readonly Item[] {
  const count = unknown === MANY ? TEXTS.overview.tiles.atLeast(toCount(unknown)) : toCount(unknown)
  const letters = { href: '/dead-letters', what: T.dead(toCount(dead), dead === 1), why: T.deadWhy }
  const doubts = { href: '/messages?unknown=true', what: T.unknown(count, unknown === 1), why: T.unknownWhy }
  return [
    ...(dead === 0 ? [] : [{ key: 'dead', tone: 'bad' as const, ...letters }]),
    ...(unknown === 0 ? [] : [{ key: 'unknown', tone: 'warn' as const, ...doubts }]),
  ]
}
