/** Asking where a message would go. What is asked stands in the address. */
import { type FormEvent, useEffect, useState } from 'react'
import { TEXTS } from '../../texts.ts'
import { Options } from '../../ui/choices.tsx'
import { Button, Field } from '../../ui/parts.tsx'
import { problemOf } from '../../ui/problems.tsx'
import type { Asked } from './data.ts'

const T = TEXTS.routes.resolve

export const ASKED = ['to', 'channel', 'type', 'sender', 'message_id'] as const
type AskedParams = Partial<Record<(typeof ASKED)[number], string>>

/** Undefined where there is nothing to ask: no recipient, or a masked one. An @ makes it mail where nothing is said. */
export function toAsked({ to, channel, type, sender, message_id }: AskedParams): Asked | undefined {
  if (to === undefined || to.includes('*')) return undefined
  const isMail = channel === 'email' || (channel === undefined && to.includes('@'))
  return {
    // An unescaped plus in an address reads as a space.
    to: to.replace(/^ /, '+'),
    channel: isMail ? 'email' : 'sms',
    ...(type === 'flash_sms' && !isMail ? { type } : {}),
    ...(sender === undefined ? {} : { sender_id: sender }),
    ...(message_id === undefined ? {} : { message_id }),
  }
}

type FormProps = Readonly<{ asked: AskedParams; error: unknown; onAsk: (asked: AskedParams) => void }>

const EMPTY = { to: '', channel: '', type: '', sender: '', message_id: '' }

export function ResolveForm({ asked, error, onAsk }: FormProps) {
  const [written, setWritten] = useState({ ...EMPTY, ...asked })
  const address = JSON.stringify(asked)
  useEffect(() => setWritten({ ...EMPTY, ...(JSON.parse(address) as AskedParams) }), [address])
  const field = (name: (typeof ASKED)[number]) => ({
    value: written[name],
    onChange: (event: { target: { value: string } }) => setWritten({ ...written, [name]: event.target.value }),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onAsk({ ...written, to: written.to.trim() })
  }
  const masked = written.to.includes('*') ? T.masked : undefined
  const isMail = toAsked({ ...asked, to: written.to })?.channel === 'email'
  return (
    <form className="filters resolve-form" onSubmit={submit}>
      <Field label={T.to} className="resolve-to" problem={masked ?? problemOf(error, '/to')}>
        <input {...field('to')} required autoComplete="off" spellCheck={false} placeholder={T.toHint} />
      </Field>
      <Field label={T.channel}>
        <select {...field('channel')}>
          <option value="">{T.byAddress}</option>
          <Options of={['sms', 'email']} nameOf={(one) => TEXTS.routes.channels[one]} />
        </select>
      </Field>
      <Field label={T.type} problem={problemOf(error, '/type')}>
        <select {...field('type')} disabled={isMail}>
          <option value="">{TEXTS.routes.kinds.sms}</option>
          <option value="flash_sms">{TEXTS.routes.kinds.flash_sms}</option>
        </select>
      </Field>
      <Field label={T.sender} problem={problemOf(error, '/sender_id')}>
        <input {...field('sender')} autoComplete="off" spellCheck={false} placeholder={T.optional} />
      </Field>
      <Field label={T.message} problem={problemOf(error, '/message_id')}>
        <input {...field('message_id')} autoComplete="off" spellCheck={false} placeholder={T.messageHint} />
      </Field>
      <Button type="submit" kind="primary">
        {T.action}
      </Button>
    </form>
  )
}
