/** One thread, oldest message first. */
import { UserRound } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { hasScope, useSession } from '../../api/session.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { SIMULATOR_TEXTS } from '../../texts/simulator.ts'
import { CheckCode } from '../../ui/check-code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Items } from '../../ui/items.tsx'
import { toSegments } from '../../ui/segments.ts'
import { Moment } from '../../ui/time.tsx'
import { type Received, toTime, useThread } from './inbox.ts'

const T = SIMULATOR_TEXTS.phone
/** Six digits anywhere, or another code at the beginning, where the built-in texts have it. */
const CODE = /^(?:\d{4,10}|[2-9B-DF-HJKMNP-TV-Z]{4,10})(?= )|(?<!\d)\d{6}(?!\d)/

export function ThreadView({ to }: Readonly<{ to: string }>) {
  const { data, error } = useThread(to)
  const items = data?.items.filter((item) => item.to === to && item.channel === 'sms').toReversed()
  return (
    <section className="phone" aria-label={T.messages(to)}>
      <header className="phone-head">
        <span className="phone-avatar" aria-hidden="true">
          <UserRound />
        </span>
        <h3 className="nums">{to}</h3>
      </header>
      <Items of={items} error={error} empty={<p className="device-empty soft">{T.nothing(to)}</p>}>
        {(some) => <Bubbles items={some} label={T.messages(to)} />}
      </Items>
    </section>
  )
}

function Bubbles({ items, label }: Readonly<{ items: readonly Received[]; label: string }>) {
  const scroll = useRef<HTMLDivElement>(null)
  const newest = items.at(-1)?.attempt_id
  useEffect(() => {
    if (newest !== undefined) scroll.current?.scrollTo(0, scroll.current.scrollHeight)
  }, [newest])
  return (
    <div ref={scroll} className="phone-scroll" role="log" aria-label={label}>
      <ol>
        {items.map((item, index) => (
          <Bubble key={item.attempt_id} item={item} copy={copyOf(items, index)} />
        ))}
      </ol>
    </div>
  )
}

/** Counts the copies of a message: more than 1 after a resend. */
const copyOf = (items: readonly Received[], index: number): number =>
  items.slice(0, index + 1).filter(({ message_id }) => message_id === items[index]?.message_id).length

function Bubble({ item, copy }: Readonly<{ item: Received; copy: number }>) {
  const [code] = CODE.exec(item.body) ?? []
  const parts = toSegments(item.body).parts.length
  const time = toTime(item.received_at)
  return (
    <li className="phone-bubble">
      <p className="bubble-from soft">{item.from ?? T.noSender}</p>
      <div className="bubble-text">
        <Words text={item.body} code={code} />
        {code !== undefined && <CodeActions code={code} messageId={item.message_id} />}
      </div>
      <p className="bubble-meta soft nums">
        <Moment at={item.received_at}>{time}</Moment>
        {parts > 1 && <span>{COMMON_TEXTS.parts(parts)}</span>}
        {copy > 1 && <span>{T.copy(copy)}</span>}
        <Link href={`/messages/${item.message_id}`} aria-label={T.messageAt(time)}>
          {T.message}
        </Link>
      </p>
    </li>
  )
}

/** A challenge has the id of the message with its code. */
function CodeActions({ code, messageId }: Readonly<{ code: string; messageId: string }>) {
  const mayCheck = hasScope(useSession(), 'otp')
  return (
    <>
      <CopyButton text={code} what={T.code(code)} />
      {mayCheck && (
        <details className="bubble-check">
          <summary>{T.check}</summary>
          <CheckCode challengeId={messageId} received={code} />
        </details>
      )}
    </>
  )
}

function Words({ text, code }: Readonly<{ text: string; code: string | undefined }>) {
  if (code === undefined) return <p>{text}</p>
  const at = text.indexOf(code)
  return (
    <p>
      {text.slice(0, at)}
      <strong className="bubble-code nums">{code}</strong>
      {text.slice(at + code.length)}
    </p>
  )
}
